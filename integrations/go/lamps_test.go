// A test of the usual kind with envtest. Nothing in it knows crdkit: KUBEBUILDER_ASSETS names a directory that
// `crdkit envtest install` made.
package lamps

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func TestLamps(t *testing.T) {
	environment := &envtest.Environment{
		CRDDirectoryPaths:     []string{"../pytest/example/lamps.yaml"},
		ErrorIfCRDPathMissing: true,
	}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	}()
	api, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	lamp := &unstructured.Unstructured{}
	lamp.SetAPIVersion("example.com/v1")
	lamp.SetKind("Lamp")
	lamp.SetName("desk")
	lamp.SetNamespace("default")
	lamp.Object["spec"] = map[string]any{}
	if err := api.Create(ctx, lamp.DeepCopy()); !apierrors.IsInvalid(err) {
		t.Errorf("a lamp without a colour: %v", err)
	}
	lamp.Object["spec"] = map[string]any{"colour": "red"}
	if err := api.Create(ctx, lamp); err != nil {
		t.Fatal(err)
	}
	found := lamp.DeepCopy()
	if err := api.Get(ctx, client.ObjectKeyFromObject(lamp), found); err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "bulb", Namespace: "default"}, StringData: map[string]string{"a": "b"}}
	if err := api.Create(ctx, secret); err != nil {
		t.Fatal(err)
	}
	if string(secret.Data["a"]) != "b" {
		t.Errorf("the secret holds %q", secret.Data)
	}
}
