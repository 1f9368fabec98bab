import io.fabric8.kubernetes.api.model.*;
import io.fabric8.kubernetes.api.model.apps.*;
import io.fabric8.kubernetes.client.*;
import io.fabric8.kubernetes.client.dsl.base.*;
import io.fabric8.kubernetes.client.extended.leaderelection.*;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.*;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;

/** The fabric8 client: typed custom resources, edits, every kind of patch, informers, generic resources, leader election. */
public class Walk {
  public static class LampSpec {
    public String colour;
    public Integer bulbs;
  }

  public static class LampStatus {
    public Integer lit;
    public String phase;
    public String selector;
  }

  @Group("walk.example.com")
  @Version("v1")
  @Plural("lamps")
  public static class Lamp extends CustomResource<LampSpec, LampStatus> implements Namespaced {}

  interface Work {
    void run() throws Exception;
  }

  static boolean failed = false;

  static void step(String name, Work work) {
    try {
      work.run();
      System.out.println("ok " + name);
    } catch (Throwable error) {
      failed = true;
      System.out.println("failed " + name + ": " + String.valueOf(error).lines().findFirst().orElse(""));
      error.printStackTrace();
    }
  }

  static void check(boolean holds, Object what) {
    if (!holds) throw new AssertionError(what);
  }

  static Lamp lamp(String name) {
    Lamp lamp = new Lamp();
    lamp.setMetadata(new ObjectMetaBuilder().withName(name).addToLabels("walk", "yes").build());
    lamp.setSpec(new LampSpec());
    lamp.getSpec().colour = "red";
    return lamp;
  }

  public static void main(String[] arguments) {
    String namespace = "walk-" + UUID.randomUUID().toString().substring(0, 8);
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      var lamps = client.resources(Lamp.class).inNamespace(namespace);
      step("namespace", () -> client.namespaces().resource(new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build()).create());
      step("create", () -> check(lamps.resource(lamp("desk")).create().getSpec().bulbs == 1, "the default"));
      step("refused", () -> {
        Lamp odd = lamp("odd");
        odd.getSpec().colour = "pink";
        try {
          lamps.resource(odd).create();
          check(false, "it was accepted");
        } catch (KubernetesClientException error) {
          check(error.getCode() == 422 && error.getStatus().getDetails().getCauses().size() == 1, error);
        }
      });
      step("list", () -> check(lamps.withLabel("walk", "yes").list().getItems().size() == 1, "one item"));
      step("watch", () -> {
        var seen = new LinkedBlockingQueue<Watcher.Action>();
        try (Watch watch = lamps.watch(new Watcher<Lamp>() {
          public void eventReceived(Action action, Lamp item) {
            if (item.getMetadata().getName().equals("hall")) seen.add(action);
          }
          public void onClose(WatcherException cause) {}
        })) {
          lamps.resource(lamp("hall")).create();
          lamps.withName("hall").delete();
          check(seen.poll(20, TimeUnit.SECONDS) == Watcher.Action.ADDED, "added");
          check(seen.poll(20, TimeUnit.SECONDS) == Watcher.Action.DELETED, "deleted");
        }
      });
      step("informer", () -> {
        var added = new CountDownLatch(1);
        try (var informer = lamps.inform(new io.fabric8.kubernetes.client.informers.ResourceEventHandler<Lamp>() {
          public void onAdd(Lamp item) { added.countDown(); }
          public void onUpdate(Lamp before, Lamp after) {}
          public void onDelete(Lamp item, boolean unknown) {}
        })) {
          check(added.await(20, TimeUnit.SECONDS), "added");
          check(informer.getStore().list().size() == 1, "the store");
        }
      });
      step("update", () -> check(lamps.withName("desk").edit(item -> { item.getSpec().colour = "blue"; return item; }).getSpec().colour.equals("blue"), "the edit"));
      step("patch", () -> {
        var merge = PatchContext.of(PatchType.JSON_MERGE);
        check(lamps.withName("desk").patch(merge, "{\"spec\":{\"bulbs\":3}}").getSpec().bulbs == 3, "merge");
        var json = PatchContext.of(PatchType.JSON);
        check(lamps.withName("desk").patch(json, "[{\"op\":\"replace\",\"path\":\"/spec/bulbs\",\"value\":4}]").getSpec().bulbs == 4, "json");
        client.configMaps().inNamespace(namespace).resource(new ConfigMapBuilder().withNewMetadata().withName("notes").endMetadata().addToData("a", "1").build()).create();
        var strategic = PatchContext.of(PatchType.STRATEGIC_MERGE);
        check(client.configMaps().inNamespace(namespace).withName("notes").patch(strategic, "{\"data\":{\"b\":\"2\"}}").getData().size() == 2, "strategic");
      });
      step("apply", () -> {
        Lamp made = lamps.resource(lamp("applied")).fieldManager("walk").serverSideApply();
        check(made.getMetadata().getManagedFields().get(0).getOperation().equals("Apply"), made.getMetadata().getManagedFields());
        Lamp other = lamp("applied");
        other.getSpec().colour = "green";
        try {
          lamps.resource(other).fieldManager("other").serverSideApply();
          check(false, "no conflict");
        } catch (KubernetesClientException error) {
          check(error.getCode() == 409, error);
        }
        check(lamps.resource(other).fieldManager("other").forceConflicts().serverSideApply().getSpec().colour.equals("green"), "forced");
      });
      step("status", () -> {
        Lamp desk = lamps.withName("desk").get();
        desk.setStatus(new LampStatus());
        desk.getStatus().lit = 2;
        check(lamps.resource(desk).updateStatus().getStatus().lit == 2, "update");
        check(lamps.withName("desk").editStatus(item -> { item.getStatus().phase = "on"; return item; }).getStatus().phase.equals("on"), "edit");
      });
      step("scale", () -> {
        lamps.withName("desk").scale(6);
        check(lamps.withName("desk").get().getSpec().bulbs == 6, "the number");
      });
      step("generic", () -> {
        var generic = client.genericKubernetesResources("walk.example.com/v1", "Lamp").inNamespace(namespace);
        check(generic.withName("desk").get().<Map<String, Object>>get("spec").get("colour").equals("blue"), "the colour");
      });
      step("events", () -> {
        var event = new EventBuilder().withNewMetadata().withGenerateName("desk-").endMetadata().withReason("Walked").withType("Normal")
            .withNewInvolvedObject().withKind("Lamp").withName("desk").withNamespace(namespace).endInvolvedObject().build();
        client.v1().events().inNamespace(namespace).resource(event).create();
        check(client.v1().events().inNamespace(namespace).withField("involvedObject.name", "desk").list().getItems().size() == 1, "one event");
      });
      step("leader election", () -> {
        var led = new CountDownLatch(1);
        var config = new LeaderElectionConfigBuilder().withName("walk").withLeaseDuration(Duration.ofSeconds(15)).withRenewDeadline(Duration.ofSeconds(10))
            .withRetryPeriod(Duration.ofSeconds(1)).withLock(new LeaseLock(namespace, "walk", "me"))
            .withLeaderCallbacks(new LeaderCallbacks(led::countDown, () -> {}, leader -> {})).withReleaseOnCancel(true).build();
        var election = client.leaderElector().withConfig(config).build().start();
        check(led.await(20, TimeUnit.SECONDS), "leading");
        election.cancel(true);
      });
      step("native", () -> {
        var made = client.apps().deployments().inNamespace(namespace).resource(new DeploymentBuilder().withNewMetadata().withName("walk").endMetadata()
            .withNewSpec().withNewSelector().addToMatchLabels("a", "b").endSelector().withNewTemplate().withNewMetadata().addToLabels("a", "b").endMetadata()
            .withNewSpec().addNewContainer().withName("c").withImage("nginx").endContainer().endSpec().endTemplate().endSpec().build()).create();
        check(made.getSpec().getReplicas() == 1, "the default");
        client.apps().deployments().inNamespace(namespace).withName("walk").scale(3);
        check(client.apps().deployments().inNamespace(namespace).withName("walk").get().getSpec().getReplicas() == 3, "the number");
      });
      step("delete", () -> {
        check(lamps.withName("desk").delete().size() == 1, "a status");
        lamps.withLabel("walk", "yes").delete();
        check(lamps.list().getItems().isEmpty(), "nothing is left");
      });
    }
    System.exit(failed ? 1 : 0);
  }
}
