// Argo CD's controllers in one program, as its own ./cmd, which also holds the server's user interface and the command
// line: the first argument names the one to run.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	controller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	applicationset "github.com/argoproj/argo-cd/v3/cmd/argocd-applicationset-controller/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/argoproj/argo-cd/v3/util/log"
)

func main() {
	klog.SetLogger(log.NewLogrusLogger(log.NewWithCurrentConfig()))
	commands := map[string]func() *cobra.Command{
		"argocd-application-controller":    controller.NewCommand,
		"argocd-applicationset-controller": applicationset.NewCommand,
		"argocd-repo-server":               reposerver.NewCommand,
	}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "name a controller")
		os.Exit(2)
	}
	command := commands[os.Args[1]]()
	command.SetArgs(os.Args[2:])
	if command.Execute() != nil {
		os.Exit(1)
	}
}
