// controller-runtime: a manager with a cache, a controller with a finalizer, status, owned objects, a field index and leader election.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// kubernetesSink writes events to whatever namespace they are of.
type kubernetesSink struct{ typedcore.EventInterface }

func (s *kubernetesSink) Create(event *corev1.Event) (*corev1.Event, error) {
	return s.CreateWithEventNamespaceWithContext(context.Background(), event)
}

func (s *kubernetesSink) Update(event *corev1.Event) (*corev1.Event, error) {
	return s.UpdateWithEventNamespaceWithContext(context.Background(), event)
}

func (s *kubernetesSink) Patch(event *corev1.Event, data []byte) (*corev1.Event, error) {
	return s.PatchWithEventNamespaceWithContext(context.Background(), event, data)
}

const finalizer = "walk.example.com/held"

var lampKind = schema.GroupVersionKind{Group: "walk.example.com", Version: "v1", Kind: "Lamp"}

func newLamp(namespace, name string) *unstructured.Unstructured {
	object := lamp(name, nil)
	object.SetNamespace(namespace)
	return object
}

// reconciler gives every lamp a finalizer, a config map that it owns, and a status.
type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(lampKind)
	if err := r.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !object.GetDeletionTimestamp().IsZero() {
		if controllerutil.RemoveFinalizer(object, finalizer) {
			return ctrl.Result{}, r.Update(ctx, object)
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(object, finalizer) {
		return ctrl.Result{}, r.Update(ctx, object)
	}
	owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: object.GetName(), Namespace: object.GetNamespace()}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, owned, func() error {
		colour, _, _ := unstructured.NestedString(object.Object, "spec", "colour")
		owned.Data = map[string]string{"colour": colour}
		return controllerutil.SetControllerReference(object, owned, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	before := object.DeepCopy()
	_ = unstructured.SetNestedField(object.Object, "reconciled", "status", "phase")
	return ctrl.Result{}, r.Status().Patch(ctx, object, client.MergeFrom(before))
}

func until(ctx context.Context, check func() (bool, error)) error {
	for {
		done, err := check()
		if done || err != nil && !apierrors.IsConflict(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.New("it did not come to pass")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func operator(config *rest.Config, namespace string) {
	log.SetLogger(zap.New())
	core := kubernetes.NewForConfigOrDie(config).CoreV1()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var manager ctrl.Manager
	var direct client.Client
	step("namespace", func(ctx context.Context) error {
		_, err := core.Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
		return err
	})
	ended := make(chan error, 1)
	step("leader election", func(limit context.Context) error {
		var err error
		manager, err = ctrl.NewManager(config, ctrl.Options{
			Metrics: server.Options{BindAddress: "0"}, Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
			LeaderElection: true, LeaderElectionID: "walk", LeaderElectionNamespace: namespace, LeaderElectionReleaseOnCancel: true})
		if err != nil {
			return err
		}
		if direct, err = client.New(config, client.Options{}); err != nil {
			return err
		}
		kind := &unstructured.Unstructured{}
		kind.SetGroupVersionKind(lampKind)
		err = manager.GetFieldIndexer().IndexField(limit, kind, "spec.colour", func(object client.Object) []string {
			colour, _, _ := unstructured.NestedString(object.(*unstructured.Unstructured).Object, "spec", "colour")
			return []string{colour}
		})
		if err != nil {
			return err
		}
		err = ctrl.NewControllerManagedBy(manager).Named("lamp").For(kind).Owns(&corev1.ConfigMap{}).Complete(&reconciler{manager.GetClient()})
		if err != nil {
			return err
		}
		go func() { ended <- manager.Start(ctx) }()
		select {
		case <-manager.Elected():
			return nil
		case err := <-ended:
			return err
		case <-limit.Done():
			return limit.Err()
		}
	})
	get := func(ctx context.Context) (*unstructured.Unstructured, error) {
		object := newLamp(namespace, "desk")
		return object, direct.Get(ctx, client.ObjectKeyFromObject(object), object)
	}
	step("create", func(ctx context.Context) error {
		if err := direct.Create(ctx, newLamp(namespace, "desk")); err != nil {
			return err
		}
		return until(ctx, func() (bool, error) {
			object, err := get(ctx)
			return controllerutil.ContainsFinalizer(object, finalizer), err
		})
	})
	step("status", func(ctx context.Context) error {
		return until(ctx, func() (bool, error) {
			object, err := get(ctx)
			phase, _, _ := unstructured.NestedString(object.Object, "status", "phase")
			return phase == "reconciled", err
		})
	})
	step("update", func(ctx context.Context) error {
		return until(ctx, func() (bool, error) {
			object, err := get(ctx)
			if err != nil {
				return false, err
			}
			_ = unstructured.SetNestedField(object.Object, "blue", "spec", "colour")
			err = direct.Update(ctx, object)
			return err == nil, err
		})
	})
	step("watch", func(ctx context.Context) error {
		return until(ctx, func() (bool, error) {
			var owned corev1.ConfigMap
			err := direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "desk"}, &owned)
			return owned.Data["colour"] == "blue", client.IgnoreNotFound(err)
		})
	})
	step("list", func(ctx context.Context) error {
		return until(ctx, func() (bool, error) {
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(lampKind)
			err := manager.GetClient().List(ctx, list, client.MatchingFields{"spec.colour": "blue"})
			return len(list.Items) == 1, err
		})
	})
	step("patch", func(ctx context.Context) error {
		object, err := get(ctx)
		if err != nil {
			return err
		}
		before := object.DeepCopy()
		object.SetAnnotations(map[string]string{"a": "b"})
		return direct.Patch(ctx, object, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	})
	step("apply", func(ctx context.Context) error {
		configuration := newLamp(namespace, "applied")
		if err := direct.Apply(ctx, client.ApplyConfigurationFromUnstructured(configuration), client.FieldOwner("walk"), client.ForceOwnership); err != nil {
			return err
		}
		if configuration.GetUID() == "" {
			return errors.New("nothing came back")
		}
		return nil
	})
	step("delete", func(ctx context.Context) error {
		if err := direct.DeleteAllOf(ctx, newLamp(namespace, ""), client.InNamespace(namespace), client.MatchingLabels{"walk": "yes"}); err != nil {
			return err
		}
		return until(ctx, func() (bool, error) {
			_, err := get(ctx)
			if !apierrors.IsNotFound(err) {
				return false, err
			}
			var owned corev1.ConfigMap
			err = direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "desk"}, &owned)
			return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
		})
	})
	step("end", func(context.Context) error {
		stop()
		select {
		case err := <-ended:
			return err
		case <-time.After(20 * time.Second):
			return fmt.Errorf("the manager did not end")
		}
	})
}
