// Reads manifests and decodes each strictly into its type: a field that Kubernetes does not know is an error. Prints
// the kind and the name of each.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	failed := false
	fail := func(err error) {
		failed = true
		fmt.Fprintln(os.Stderr, err)
	}
	if err := monitoring.AddToScheme(scheme.Scheme); err != nil {
		panic(err)
	}
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	reader := yaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fail(err)
			break
		}
		if isEmpty(document) {
			continue
		}
		object, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			fail(fmt.Errorf("%w in\n%s", err, document))
			continue
		}
		fmt.Println(kind.Kind, nameOf(object))
	}
	if failed {
		os.Exit(1)
	}
}

// Whether there are only comments, as Helm leaves them of a template that renders nothing.
func isEmpty(document []byte) bool {
	var content any
	return yaml.Unmarshal(document, &content) == nil && content == nil
}

func nameOf(object runtime.Object) string {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return ""
	}
	return accessor.GetName()
}
