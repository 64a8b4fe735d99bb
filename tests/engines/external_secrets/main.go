// External Secrets' controllers for stores and pushes, as its own main starts them, with the one provider that leads to
// Kubernetes: the others are the SDKs of forty clouds.
package main

import (
	"log"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	corev1 "k8s.io/api/core/v1"

	esv1 "github.com/external-secrets/external-secrets/apis/externalsecrets/v1"
	esv1alpha1 "github.com/external-secrets/external-secrets/apis/externalsecrets/v1alpha1"
	genv1alpha1 "github.com/external-secrets/external-secrets/apis/generators/v1alpha1"
	"github.com/external-secrets/external-secrets/pkg/controllers/pushsecret"
	"github.com/external-secrets/external-secrets/pkg/controllers/pushsecret/psmetrics"
	"github.com/external-secrets/external-secrets/pkg/controllers/secretstore"
	"github.com/external-secrets/external-secrets/pkg/controllers/secretstore/cssmetrics"
	"github.com/external-secrets/external-secrets/pkg/controllers/secretstore/ssmetrics"

	_ "github.com/external-secrets/external-secrets/pkg/provider/kubernetes"
)

func main() {
	ctrl.SetLogger(zap.New())
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, esv1.AddToScheme, esv1alpha1.AddToScheme, genv1alpha1.AddToScheme,
	} {
		check(add(scheme))
	}
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "0"},
		// As its own main does: Secrets are read when they are needed.
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}}}},
	})
	check(err)
	ssmetrics.SetUpMetrics()
	cssmetrics.SetUpMetrics()
	psmetrics.SetUpMetrics()
	check((&secretstore.StoreReconciler{
		Client: manager.GetClient(), Log: ctrl.Log.WithName("SecretStore"), Scheme: scheme,
		RequeueInterval: 5 * time.Minute, PushSecretEnabled: true,
	}).SetupWithManager(manager, controller.Options{}))
	check((&secretstore.ClusterStoreReconciler{
		Client: manager.GetClient(), Log: ctrl.Log.WithName("ClusterSecretStore"), Scheme: scheme,
		RequeueInterval: 5 * time.Minute, PushSecretEnabled: true,
	}).SetupWithManager(manager, controller.Options{}))
	context := ctrl.SetupSignalHandler()
	check((&pushsecret.Reconciler{
		Client: manager.GetClient(), Log: ctrl.Log.WithName("PushSecret"), Scheme: scheme,
		RestConfig: manager.GetConfig(), RequeueInterval: time.Hour,
	}).SetupWithManager(context, manager, controller.Options{}))
	check(manager.Start(context))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
