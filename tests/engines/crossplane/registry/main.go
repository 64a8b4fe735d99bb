// A registry on loopback that holds Crossplane packages: `registry ADDRESS NAME=FILE ...` serves every FILE, the
// objects of a package joined by ---, as the image NAME (repository:tag). It prints a line once all of them can be
// pulled.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func run(address string, packages []string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() {
		served <- http.Serve(listener, registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	}()
	for _, argument := range packages {
		image, file, found := strings.Cut(argument, "=")
		if !found {
			return errors.New(argument + " is not NAME=FILE")
		}
		if err := push(address+"/"+image, file); err != nil {
			return fmt.Errorf("%s: %w", image, err)
		}
	}
	fmt.Println("serving")
	return <-served
}

// push makes a package of one layer, marked as the one that holds package.yaml.
func push(image, file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	header := &tar.Header{Name: "package.yaml", Mode: 0o644, Size: int64(len(content))}
	if err := writer.WriteHeader(header); err != nil {
		return err
	}
	if _, err := writer.Write(content); err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(archive.Bytes())), nil
	})
	if err != nil {
		return err
	}
	base := mutate.Addendum{Layer: layer, Annotations: map[string]string{"io.crossplane.xpkg": "base"}}
	made, err := mutate.Append(empty.Image, base)
	if err != nil {
		return err
	}
	digest, err := layer.Digest()
	if err != nil {
		return err
	}
	// Crossplane looks for the layer's label in the image's configuration.
	made, err = mutate.Config(made, v1.Config{Labels: map[string]string{"io.crossplane.xpkg:" + digest.String(): "base"}})
	if err != nil {
		return err
	}
	reference, err := name.ParseReference(image, name.Insecure)
	if err != nil {
		return err
	}
	return remote.Write(reference, made)
}
