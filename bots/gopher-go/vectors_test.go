package main

import (
	"encoding/json"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"

	arenav1 "gopher/internal/arena/v1"
	"gopher/strategy"
	"gopher/text"
)

// TestVectors reads the turns that all languages share, and answers them.
func TestVectors(t *testing.T) {
	paths, err := filepath.Glob("proto/vectors/*.json")
	if err != nil || len(paths) < 5 {
		t.Fatalf("only %d files proto/vectors/*.json: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var vectors []struct {
				Turn    json.RawMessage
				Actions []string
			}
			if err := json.Unmarshal(content, &vectors); err != nil {
				t.Fatal(err)
			}
			for i, vector := range vectors {
				var turn arenav1.Turn
				if err := protojson.Unmarshal(vector.Turn, &turn); err != nil {
					t.Fatalf("vector %d: %v", i, err)
				}
				if actions := text.Actions(&turn); !slices.Equal(actions, vector.Actions) {
					t.Errorf("vector %d: actions\n%q, want\n%q", i, actions, vector.Actions)
				}
				choose := func() {
					t.Helper()
					choice := strategy.New(&arenav1.TableStart{}).Choose(&turn)
					if choice < 0 || choice >= len(vector.Actions) {
						t.Errorf("vector %d: chose %d of %d actions", i, choice, len(vector.Actions))
					}
				}
				choose()
				for range distort(&turn) { // no turn may break the bot
					choose()
				}
			}
		})
	}
}

// distort spoils the observation of a turn, one field after the other.
func distort(turn *arenav1.Turn) iter.Seq[protoreflect.FieldDescriptor] {
	return func(yield func(protoreflect.FieldDescriptor) bool) {
		message := turn.ProtoReflect()
		view := message.Get(message.WhichOneof(message.Descriptor().Oneofs().ByName("game"))).Message()
		observation := view.Mutable(view.Descriptor().Fields().ByName("observation")).Message()
		fields := observation.Descriptor().Fields()
		for i := range fields.Len() {
			field := fields.Get(i)
			switch {
			case field.IsList() && field.Kind() == protoreflect.EnumKind:
				observation.Mutable(field).List().Append(protoreflect.ValueOfEnum(999))
				observation.Mutable(field).List().Append(protoreflect.ValueOfEnum(-999))
			case field.IsList():
				observation.Clear(field)
			case field.Kind() == protoreflect.Uint32Kind:
				observation.Set(field, protoreflect.ValueOfUint32(math.MaxUint32))
			case field.Kind() == protoreflect.EnumKind:
				observation.Set(field, protoreflect.ValueOfEnum(999))
			}
			if !yield(field) {
				return
			}
		}
	}
}

// TestManifest holds bot.toml to what the bot says of itself.
func TestManifest(t *testing.T) {
	content, err := os.ReadFile("bot.toml")
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{"name": name, "version": version, "author": author} {
		if line := key + ` = "` + value + `"`; !strings.Contains(string(content), line+"\n") {
			t.Errorf("bot.toml does not say %s", line)
		}
	}
}
