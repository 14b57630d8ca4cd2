// Command generate turns proto/arena/v1 into the Go package internal/arena/v1.
//
// It needs no protoc: the .proto files are compiled in Go, and the two plugins
// that write the code are tools of this module (see go.mod).
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/pluginpb"
)

const (
	protoFolder = "proto"
	goFolder    = "internal" // go_package in the files says where below it
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("generate: ")
	if err := generate(); err != nil {
		log.Fatal(err)
	}
}

func generate() error {
	request, err := compile()
	if err != nil {
		return err
	}
	for _, plugin := range []string{"protoc-gen-go", "protoc-gen-go-grpc"} {
		if err := run(plugin, request); err != nil {
			return err
		}
	}
	return nil
}

// compile reads all .proto files and makes of them what plugins ask for.
func compile() (*pluginpb.CodeGeneratorRequest, error) {
	paths, err := filepath.Glob(protoFolder + "/arena/v1/*.proto")
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("there are no files %s/arena/v1/*.proto", protoFolder)
	}
	var names []string
	for _, path := range paths {
		names = append(names, strings.TrimPrefix(filepath.ToSlash(path), protoFolder+"/"))
	}
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{protoFolder}}),
		SourceInfoMode: protocompile.SourceInfoStandard, // for the comments
	}
	files, err := compiler.Compile(context.Background(), names...)
	if err != nil {
		return nil, err
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: names}
	added := map[string]bool{}
	var add func(file protoreflect.FileDescriptor)
	add = func(file protoreflect.FileDescriptor) { // what is imported comes first
		if added[file.Path()] {
			return
		}
		added[file.Path()] = true
		for i := range file.Imports().Len() {
			add(file.Imports().Get(i).FileDescriptor)
		}
		request.ProtoFile = append(request.ProtoFile, protoutil.ProtoFromFileDescriptor(file))
	}
	for _, file := range files {
		add(file)
	}
	return request, nil
}

// run runs a plugin and writes the files that it answers with.
func run(plugin string, request *pluginpb.CodeGeneratorRequest) error {
	input, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	command := exec.Command("go", "tool", plugin)
	command.Stdin = bytes.NewReader(input)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return fmt.Errorf("go tool %s: %w", plugin, err)
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(output, &response); err != nil {
		return err
	}
	if response.Error != nil {
		return fmt.Errorf("%s: %s", plugin, response.GetError())
	}
	for _, file := range response.File {
		path := filepath.Join(goFolder, filepath.FromSlash(file.GetName()))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(file.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
