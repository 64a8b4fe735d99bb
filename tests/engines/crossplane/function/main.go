// A composition function: its input lists resources, each a name and a base in which $(spec.some.field) stands for the
// composite's value. A composed resource is ready when its condition Ready is True, or when it has no conditions.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/crossplane/v2/proto/fn/v1"
)

type function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

// input of a pipeline's step.
type input struct {
	Resources []struct {
		Name string         `json:"name"`
		Base map[string]any `json:"base"`
	} `json:"resources"`
}

var reference = regexp.MustCompile(`\$\(([a-zA-Z.]+)\)`)

func (function) RunFunction(_ context.Context, request *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	text, err := json.Marshal(request.GetInput().AsMap())
	if err != nil {
		return nil, err
	}
	composite := request.GetObserved().GetComposite().GetResource().AsMap()
	var missing string
	// Values of strings only: a quote in one would not survive, and no scenario has one.
	text = reference.ReplaceAllFunc(text, func(match []byte) []byte {
		path := string(match[2 : len(match)-1])
		value, found := lookup(composite, strings.Split(path, "."))
		if !found {
			missing = path
		}
		return fmt.Append(nil, value)
	})
	response := &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: request.GetMeta().GetTag(), Ttl: durationpb.New(0)},
		Desired: request.GetDesired(),
		Context: request.GetContext(),
	}
	if missing != "" {
		response.Results = []*fnv1.Result{{
			Severity: fnv1.Severity_SEVERITY_FATAL,
			Message:  "the composite has no " + missing,
		}}
		return response, nil
	}
	var steps input
	if err := json.Unmarshal(text, &steps); err != nil {
		return nil, err
	}
	if response.Desired == nil {
		response.Desired = &fnv1.State{}
	}
	if response.Desired.Resources == nil {
		response.Desired.Resources = map[string]*fnv1.Resource{}
	}
	for _, resource := range steps.Resources {
		base, err := structpb.NewStruct(resource.Base)
		if err != nil {
			return nil, err
		}
		observed := request.GetObserved().GetResources()[resource.Name]
		response.Desired.Resources[resource.Name] = &fnv1.Resource{Resource: base, Ready: ready(observed)}
	}
	return response, nil
}

func lookup(value any, path []string) (any, bool) {
	for _, key := range path {
		fields, isObject := value.(map[string]any)
		if !isObject {
			return nil, false
		}
		found := false
		if value, found = fields[key]; !found {
			return nil, false
		}
	}
	return value, true
}

func ready(observed *fnv1.Resource) fnv1.Ready {
	if observed == nil {
		return fnv1.Ready_READY_FALSE
	}
	value, found := lookup(observed.GetResource().AsMap(), []string{"status", "conditions"})
	conditions, isList := value.([]any)
	if !found || !isList {
		return fnv1.Ready_READY_FALSE
	}
	for _, condition := range conditions {
		kind, _ := lookup(condition, []string{"type"})
		status, _ := lookup(condition, []string{"status"})
		if kind == "Ready" && status == "True" {
			return fnv1.Ready_READY_TRUE
		}
	}
	return fnv1.Ready_READY_FALSE
}

func main() {
	address := flag.String("address", "127.0.0.1:9443", "where to listen")
	certificates := flag.String("certificates", "", "directory with tls.crt, tls.key and ca.crt")
	flag.Parse()
	if err := serve(*address, *certificates); err != nil {
		log.Fatal(err)
	}
}

func serve(address, certificates string) error {
	certificate, err := tls.LoadX509KeyPair(filepath.Join(certificates, "tls.crt"), filepath.Join(certificates, "tls.key"))
	if err != nil {
		return err
	}
	authority, err := os.ReadFile(filepath.Join(certificates, "ca.crt"))
	if err != nil {
		return err
	}
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(authority)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{certificate},
		ClientCAs:    clients,
		ClientAuth:   tls.RequireAndVerifyClientCert,
		MinVersion:   tls.VersionTLS12,
	})))
	fnv1.RegisterFunctionRunnerServiceServer(server, function{})
	return server.Serve(listener)
}
