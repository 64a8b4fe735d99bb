// Serves the bare repositories of a directory over smart HTTP: `forge ADDRESS DIRECTORY GIT-HTTP-BACKEND`. What lies
// below /private/ asks for the password in the file private/password of the directory, if there is one.
package main

import (
	"log"
	"net/http"
	"net/http/cgi"
	"os"
	"path/filepath"
	"strings"
)

func isAllowed(request *http.Request, directory string) bool {
	known, err := os.ReadFile(filepath.Join(directory, "private", "password"))
	_, password, given := request.BasicAuth()
	return err == nil && given && password == string(known)
}

func main() {
	address, directory, backend := os.Args[1], os.Args[2], os.Args[3]
	git := &cgi.Handler{
		Path: backend,
		Env:  []string{"GIT_PROJECT_ROOT=" + directory, "GIT_HTTP_EXPORT_ALL=1"},
	}
	handler := http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		if strings.HasPrefix(request.URL.Path, "/private/") && !isAllowed(request, directory) {
			response.Header().Set("WWW-Authenticate", `Basic realm="forge"`)
			http.Error(response, "authentication required", http.StatusUnauthorized)
			return
		}
		git.ServeHTTP(response, request)
	})
	log.Fatal(http.ListenAndServe(address, handler))
}
