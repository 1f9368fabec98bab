// client-go: discovery, dynamic and typed clients (the latter write protobuf), every patch, informers, scale, events, leader election,
// eviction.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/watch"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/tools/record"
)

var (
	lamps  = schema.GroupVersionResource{Group: "walk.example.com", Version: "v1", Resource: "lamps"}
	failed bool
	// Every step has this long.
	patience = 30 * time.Second
)

func step(name string, work func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := work(ctx); err != nil {
		failed = true
		fmt.Printf("failed %s: %q\n", name, err.Error())
		return
	}
	fmt.Printf("ok %s\n", name)
}

func expect(holds bool, format string, values ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, values...)
}

func lamp(name string, spec map[string]any) *unstructured.Unstructured {
	if spec == nil {
		spec = map[string]any{}
	}
	if _, ok := spec["colour"]; !ok {
		spec["colour"] = "red"
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "walk.example.com/v1", "kind": "Lamp",
		"metadata": map[string]any{"name": name, "labels": map[string]any{"walk": "yes"}}, "spec": spec,
	}}
}

func bulbs(object *unstructured.Unstructured) int64 {
	number, _, _ := unstructured.NestedInt64(object.Object, "spec", "bulbs")
	return number
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "walk"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "nginx"}}}}
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		panic(err)
	}
	config.QPS, config.Burst = 1000, 1000
	namespace := "walk-" + rand.String(8)
	if len(os.Args) > 1 && os.Args[1] == "operator" {
		operator(config, namespace)
	} else {
		walk(config, namespace)
	}
	if failed {
		os.Exit(1)
	}
}

func walk(config *rest.Config, namespace string) {
	typed := kubernetes.NewForConfigOrDie(config)
	untyped := dynamic.NewForConfigOrDie(config)
	objects := untyped.Resource(lamps).Namespace(namespace)
	core := typed.CoreV1()
	cached := memory.NewMemCacheClient(typed.Discovery())
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cached)

	step("discovery", func(ctx context.Context) error {
		version, err := typed.Discovery().ServerVersion()
		if err != nil {
			return err
		}
		lists, err := discovery.ServerPreferredResources(typed.Discovery())
		if err != nil {
			return err
		}
		mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "walk.example.com", Kind: "Lamp"})
		if err != nil {
			return err
		}
		document, err := typed.Discovery().OpenAPISchema()
		if err != nil {
			return err
		}
		return expect(version.Major == "1" && len(lists) > 10 && mapping.Resource == lamps && document.GetSwagger() == "2.0", "%v %d %v", version, len(lists), mapping)
	})
	step("namespace", func(ctx context.Context) error {
		_, err := core.Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
		return err
	})
	step("create", func(ctx context.Context) error {
		made, err := objects.Create(ctx, lamp("desk", nil), metav1.CreateOptions{FieldValidation: "Strict"})
		if err != nil {
			return err
		}
		_, err = objects.Create(ctx, lamp("desk", nil), metav1.CreateOptions{})
		return expect(bulbs(made) == 1 && apierrors.IsAlreadyExists(err), "%v %v", made, err)
	})
	step("refused", func(ctx context.Context) error {
		_, err := objects.Create(ctx, lamp("odd", map[string]any{"colour": "pink"}), metav1.CreateOptions{})
		var status apierrors.APIStatus
		if !apierrors.IsInvalid(err) || !errors.As(err, &status) {
			return fmt.Errorf("not refused: %v", err)
		}
		causes := status.Status().Details.Causes
		if len(causes) != 1 || causes[0].Field != "spec.colour" {
			return fmt.Errorf("causes: %v", causes)
		}
		_, err = objects.Create(ctx, lamp("odd", map[string]any{"volts": int64(5)}), metav1.CreateOptions{FieldValidation: "Strict"})
		return expect(apierrors.IsBadRequest(err), "unknown field: %v", err)
	})
	step("dry run", func(ctx context.Context) error {
		if _, err := objects.Create(ctx, lamp("dry", nil), metav1.CreateOptions{DryRun: []string{"All"}}); err != nil {
			return err
		}
		_, err := objects.Get(ctx, "dry", metav1.GetOptions{})
		return expect(apierrors.IsNotFound(err), "%v", err)
	})
	step("list", func(ctx context.Context) error {
		for _, name := range []string{"hall", "wall"} {
			if _, err := objects.Create(ctx, lamp(name, map[string]any{"colour": "blue"}), metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		blue, err := objects.List(ctx, metav1.ListOptions{FieldSelector: "spec.colour=blue", LabelSelector: "walk in (yes)"})
		if err != nil {
			return err
		}
		pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) { return objects.List(ctx, options) })
		pages.PageSize = 1
		seen := 0
		err = pages.EachListItem(ctx, metav1.ListOptions{}, func(runtime.Object) error { seen++; return nil })
		if err != nil {
			return err
		}
		partial, err := metadata.NewForConfigOrDie(config).Resource(lamps).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		return expect(len(blue.Items) == 2 && seen == 3 && len(partial.Items) == 3 && partial.Items[0].Labels["walk"] == "yes", "%d %d %v", len(blue.Items), seen, partial)
	})
	step("watch", func(ctx context.Context) error {
		list, err := objects.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		watcher, err := objects.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion(), AllowWatchBookmarks: true})
		if err != nil {
			return err
		}
		defer watcher.Stop()
		if _, err := objects.Create(ctx, lamp("new", nil), metav1.CreateOptions{}); err != nil {
			return err
		}
		if err := objects.Delete(ctx, "new", metav1.DeleteOptions{}); err != nil {
			return err
		}
		var seen []watch.EventType
		for event := range watcher.ResultChan() {
			seen = append(seen, event.Type)
			if event.Type == watch.Deleted {
				break
			}
		}
		return expect(reflect.DeepEqual(seen, []watch.EventType{watch.Added, watch.Deleted}), "%v", seen)
	})
	step("informer", func(ctx context.Context) error {
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(untyped, 0, namespace, nil)
		informer := factory.ForResource(lamps).Informer()
		natives := informers.NewSharedInformerFactoryWithOptions(typed, 0, informers.WithNamespace(namespace))
		maps := natives.Core().V1().ConfigMaps().Informer()
		factory.Start(ctx.Done())
		natives.Start(ctx.Done())
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced, maps.HasSynced) {
			return errors.New("informers did not fill")
		}
		_, err := core.ConfigMaps(namespace).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "notes"}, Data: map[string]string{"a": "1"}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		for len(informer.GetStore().List()) != 3 || len(maps.GetStore().List()) < 1 {
			if ctx.Err() != nil {
				return fmt.Errorf("%d lamps, %d maps", len(informer.GetStore().List()), len(maps.GetStore().List()))
			}
			time.Sleep(10 * time.Millisecond)
		}
		return nil
	})
	step("update", func(ctx context.Context) error {
		desk, err := objects.Get(ctx, "desk", metav1.GetOptions{})
		if err != nil {
			return err
		}
		stale := desk.DeepCopy()
		_ = unstructured.SetNestedField(desk.Object, int64(2), "spec", "bulbs")
		if _, err := objects.Update(ctx, desk, metav1.UpdateOptions{}); err != nil {
			return err
		}
		_ = unstructured.SetNestedField(stale.Object, int64(3), "spec", "bulbs")
		_, err = objects.Update(ctx, stale, metav1.UpdateOptions{})
		return expect(apierrors.IsConflict(err), "%v", err)
	})
	step("patch", func(ctx context.Context) error {
		if _, err := objects.Patch(ctx, "desk", types.MergePatchType, []byte(`{"spec":{"bulbs":3}}`), metav1.PatchOptions{}); err != nil {
			return err
		}
		now, err := objects.Patch(ctx, "desk", types.JSONPatchType, []byte(`[{"op":"test","path":"/spec/bulbs","value":3},{"op":"replace","path":"/spec/colour","value":"green"}]`), metav1.PatchOptions{})
		if err != nil {
			return err
		}
		_, err = objects.Patch(ctx, "desk", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{})
		if !apierrors.IsUnsupportedMediaType(err) {
			return fmt.Errorf("a strategic patch: %v", err)
		}
		notes, err := core.ConfigMaps(namespace).Patch(ctx, "notes", types.StrategicMergePatchType, []byte(`{"data":{"a":null,"b":"2"}}`), metav1.PatchOptions{})
		if err != nil {
			return err
		}
		return expect(bulbs(now) == 3 && reflect.DeepEqual(notes.Data, map[string]string{"b": "2"}), "%v %v", now, notes.Data)
	})
	step("apply", func(ctx context.Context) error {
		made, err := objects.Apply(ctx, "applied", lamp("applied", map[string]any{"bulbs": int64(4)}), metav1.ApplyOptions{FieldManager: "walk"})
		if err != nil {
			return err
		}
		_, err = objects.Apply(ctx, "applied", lamp("applied", map[string]any{"bulbs": int64(5)}), metav1.ApplyOptions{FieldManager: "other"})
		if !apierrors.IsConflict(err) {
			return fmt.Errorf("no conflict: %v", err)
		}
		if _, err = objects.Apply(ctx, "applied", lamp("applied", map[string]any{"bulbs": int64(5)}), metav1.ApplyOptions{FieldManager: "other", Force: true}); err != nil {
			return err
		}
		wanted := corev1apply.ConfigMap("more", namespace).WithData(map[string]string{"x": "1"})
		notes, err := core.ConfigMaps(namespace).Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: "walk"})
		if err != nil {
			return err
		}
		own, err := corev1apply.ExtractConfigMap(notes, "walk")
		if err != nil {
			return err
		}
		return expect(made.GetManagedFields()[0].Operation == "Apply" && own.Data["x"] == "1", "%v %v", made, own)
	})
	step("status", func(ctx context.Context) error {
		desk, err := objects.Get(ctx, "desk", metav1.GetOptions{})
		if err != nil {
			return err
		}
		_ = unstructured.SetNestedField(desk.Object, "on", "status", "phase")
		_ = unstructured.SetNestedField(desk.Object, int64(77), "spec", "bulbs")
		now, err := objects.UpdateStatus(ctx, desk, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		phase, _, _ := unstructured.NestedString(now.Object, "status", "phase")
		return expect(phase == "on" && bulbs(now) == 3 && now.GetGeneration() == desk.GetGeneration(), "%v", now)
	})
	step("scale", func(ctx context.Context) error {
		scales, err := scale.NewForConfig(config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(typed.Discovery()))
		if err != nil {
			return err
		}
		current, err := scales.Scales(namespace).Get(ctx, lamps.GroupResource(), "desk", metav1.GetOptions{})
		if err != nil {
			return err
		}
		current.Spec.Replicas = 6
		if _, err := scales.Scales(namespace).Update(ctx, lamps.GroupResource(), current, metav1.UpdateOptions{}); err != nil {
			return err
		}
		labels := map[string]string{"app": "walk"}
		deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "walk"}, Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod("").Spec}}}
		if _, err := typed.AppsV1().Deployments(namespace).Create(ctx, deployment, metav1.CreateOptions{}); err != nil {
			return err
		}
		now, err := typed.AppsV1().Deployments(namespace).UpdateScale(ctx, "walk", &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "walk", Namespace: namespace}, Spec: autoscalingv1.ScaleSpec{Replicas: 3}}, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		desk, err := objects.Get(ctx, "desk", metav1.GetOptions{})
		return expect(err == nil && bulbs(desk) == 6 && now.Spec.Replicas == 3 && now.Status.Selector == "app=walk", "%v %v", desk, now)
	})
	step("events", func(ctx context.Context) error {
		desk, err := objects.Get(ctx, "desk", metav1.GetOptions{})
		if err != nil {
			return err
		}
		old := record.NewBroadcaster()
		old.StartRecordingToSink(&kubernetesSink{core.Events("")})
		old.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "walk"}).Event(desk, "Normal", "Walked", "by")
		recorder := events.NewBroadcaster(&events.EventSinkImpl{Interface: typed.EventsV1()})
		if err := recorder.StartRecordingToSinkWithContext(ctx); err != nil {
			return err
		}
		recorder.NewRecorder(scheme.Scheme, "walk").Eventf(desk, nil, "Normal", "Strolled", "Strolling", "by")
		for {
			found, err := core.Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=desk"})
			if err != nil {
				return err
			}
			if len(found.Items) == 2 {
				return nil
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	step("leader election", func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		led := make(chan struct{})
		lock := &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Name: "walk", Namespace: namespace}, Client: typed.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: "me"}}
		go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond, ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { close(led) }, OnStoppedLeading: func() {}}})
		select {
		case <-led:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	step("eviction", func(ctx context.Context) error {
		if _, err := core.Pods(namespace).Create(ctx, pod("p"), metav1.CreateOptions{}); err != nil {
			return err
		}
		budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "b"}, Spec: policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "other"}}}}
		if _, err := typed.PolicyV1().PodDisruptionBudgets(namespace).Create(ctx, budget, metav1.CreateOptions{}); err != nil {
			return err
		}
		if err := core.Pods(namespace).EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: namespace}}); err != nil {
			return err
		}
		_, err := core.Pods(namespace).Get(ctx, "p", metav1.GetOptions{})
		return expect(apierrors.IsNotFound(err), "%v", err)
	})
	step("native", func(ctx context.Context) error {
		secret, err := core.Secrets(namespace).Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{GenerateName: "s-"}, StringData: map[string]string{"a": "b"}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		service, err := core.Services(namespace).Create(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		return expect(string(secret.Data["a"]) == "b" && strings.HasPrefix(secret.Name, "s-") && service.Spec.ClusterIP != "", "%v %v", secret, service)
	})
	step("delete", func(ctx context.Context) error {
		foreground := metav1.DeletePropagationForeground
		if err := objects.Delete(ctx, "desk", metav1.DeleteOptions{PropagationPolicy: &foreground}); err != nil {
			return err
		}
		if err := objects.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "walk=yes"}); err != nil {
			return err
		}
		for {
			list, err := objects.List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			if meta.LenList(list) == 0 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if err := core.Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}); err != nil {
			return err
		}
		for {
			_, err := core.Namespaces().Get(ctx, namespace, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			if err != nil {
				return err
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
}
