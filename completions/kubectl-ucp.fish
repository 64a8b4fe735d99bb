# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_kubectl_ucp_global_optspecs
    string join \n from= contexts= all-contexts kubeconfig= context= cluster= user= s/server= token= as= as-group= as-uid= as-user-extra= certificate-authority= client-certificate= client-key= tls-server-name= insecure-skip-tls-verify request-timeout= v/v= disable-compression external-controllers= conventions= cache-dir= n/namespace= A/all-namespaces l/selector= o/output= no-headers print-rbac q/quiet no-pager color= h/help V/version
end

function __fish_kubectl_ucp_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_kubectl_ucp_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_kubectl_ucp_using_subcommand
    set -l cmd (__fish_kubectl_ucp_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s V -l version -d 'Print version'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "status" -d 'Show whether the control plane is healthy, and why not'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "teardown" -d 'Show what a deletion deletes, orphans or leaves stuck'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "resources" -d 'List managed resources, composites and claims, problems first'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "managed" -d 'List managed resources, composites and claims, problems first'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "drift" -d 'Show differences between declared, live and external state'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "diff" -d 'Show differences between declared, live and external state'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "conflicts" -d 'Find external resources that several objects claim'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "doctor" -d 'Find what will break tomorrow, or in the next upgrade'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "bootstrap" -d 'Make an empty cluster the core cluster of a repository'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "plan" -d 'Show what a merge would change, in the clusters and outside'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "explain" -d 'Explain a finding: what it means, and what to do about it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "images" -d 'Show which versions each environment declares and runs'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "import" -d 'Take over what exists outside, without changing it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "mcp" -d 'Let assistants read: a Model Context Protocol server'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "new" -d 'Make something new in the style of a repository'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "promote" -d 'Copy image versions from one environment to another'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "set-version" -d 'Set versions of any kind, for example from CI'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "set-image" -d 'Set image versions in one environment, for example from CI'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "clusters" -d 'List app clusters, their credentials and registrations'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "adopt-cluster" -d 'Register app clusters with Argo CD or Flux'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "release-cluster" -d 'Remove an app cluster from Argo CD or Flux'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "secrets" -d 'Show whether app clusters have the Secrets that they need'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "completion" -d 'Print completion scripts, or set up `kubectl ucp <TAB>`'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "snapshot" -d 'Save everything that these commands read, without secrets'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "tree" -d 'Show where an object comes from and what depends on it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "version" -d 'Show the versions of this plugin and of the API server'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "wait" -d 'Wait until objects are OK, synced or gone'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l stuck-after -d 'How long an object may be Progressing before it counts as Stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l port -d 'The port for --watch -o prometheus, 9855 by default; 0 is any free one' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l context-map -d 'The context of your kubeconfig that leads to an app cluster; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l app-from -d 'With --from, the snapshot of an app cluster; may be repeated' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l argocd-namespace -d 'Argo CD\'s namespace; by default, it is detected from AppProjects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l flux-namespace -d 'Flux\'s namespace; by default, it is detected from Kustomizations' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l exit-code -d 'Exit with 1 if there are findings other than paused objects, or with 4 if -l selects nothing'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l any -d 'Judge custom resources of every kind too, and workloads, Jobs, volumes and the like: one line a group'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l app-clusters -d 'Look into the app clusters, too: findings about Secrets that workloads there need, as of \'kubectl ucp secrets\''
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s w -l watch -d 'Watch for changes and refresh the page; with -o prometheus, serve the metrics at http://127.0.0.1:PORT/metrics'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l use-registration -d 'Where no context leads to an app cluster, log in as its engine or its provisioner does, who may do more than you'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l allow-exec -d 'Run exec credential plugins that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l allow-proxy -d 'Use proxies that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l allow-insecure -d 'Skip TLS verification if a kubeconfig in a Secret says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l allow-localhost -d 'Allow kubeconfigs in Secrets to point to localhost, as in a test setup'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l argocd-namespace -d 'Argo CD\'s namespace; by default, it is detected from AppProjects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l flux-namespace -d 'Flux\'s namespace; by default, it is detected from Kustomizations' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l stuck-after -d 'How long an object may be Progressing before it counts as Stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l all -d 'The whole core cluster'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l app-clusters -d 'Look into app clusters that go for load balancers and disks that they would leave behind'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l allow-exec -d 'Run exec credential plugins that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l allow-proxy -d 'Use proxies that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l allow-insecure -d 'Skip TLS verification if a kubeconfig in a Secret says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l allow-localhost -d 'Allow kubeconfigs in Secrets to point to localhost, as in a test setup'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand teardown" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l group -d 'Only resources of this API group or its subgroups' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l provider -d 'Only resources of this provider package, such as provider-aws' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l only -d 'Only these verdicts, such as Failed,Stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l owner -d 'Only what this claim, composite, Application, Kustomization or HelmRelease owns: NAME, KIND/NAME or NAMESPACE/NAME' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l field-selector -d 'Only objects that match this field selector: metadata.name=NAME, metadata.namespace!=NAME' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l sort-by -d 'Sort by verdict, name, kind, age, external-name, or a JSONPath' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s L -l label-columns -d 'Show these labels as columns, such as app,team' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l stuck-after -d 'How long an object may be Progressing before it counts as Stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l show-labels -d 'Show all labels in the last column'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l show-kind -d 'Show the kind before each name, even if only one kind is listed'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l ignore-not-found -d 'Exit with 0 if a named object does not exist'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l any -d 'List custom resources of every kind, and workloads, Pods, Jobs, volumes and the like'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l whole -d 'Print whole objects as \'kubectl get\' does, instead of ucp/v1, for templates and scripts written for kubectl'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s w -l watch -d 'Watch for changes and refresh the list'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l group -d 'Only resources of this API group or its subgroups' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l provider -d 'Only resources of this provider package, such as provider-aws' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l only -d 'Only these verdicts, such as Failed,Stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l owner -d 'Only what this claim, composite, Application, Kustomization or HelmRelease owns: NAME, KIND/NAME or NAMESPACE/NAME' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l field-selector -d 'Only objects that match this field selector: metadata.name=NAME, metadata.namespace!=NAME' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l sort-by -d 'Sort by verdict, name, kind, age, external-name, or a JSONPath' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s L -l label-columns -d 'Show these labels as columns, such as app,team' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l stuck-after -d 'How long an object may be Progressing before it counts as Stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l show-labels -d 'Show all labels in the last column'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l show-kind -d 'Show the kind before each name, even if only one kind is listed'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l ignore-not-found -d 'Exit with 0 if a named object does not exist'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l any -d 'List custom resources of every kind, and workloads, Pods, Jobs, volumes and the like'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l whole -d 'Print whole objects as \'kubectl get\' does, instead of ucp/v1, for templates and scripts written for kubectl'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s w -l watch -d 'Watch for changes and refresh the list'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l ignore -d 'Do not report these as orphans: KIND or KIND/NAME, where * matches any text; namespace/NAME ignores all objects in a namespace' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l repo -d 'Compare with this repository, rendered and dry-run on the clusters, instead of what the engines report: a directory, or a URL to clone' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l target-revision -d 'Only sources that track this branch or tag, or none in particular' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l repo-url -d 'The repository URL that Applications use, if no remote has it' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l destination -d 'Connect to an app cluster through a context of your kubeconfig; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l render-timeout -d 'Time limit for each renderer' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l ignore-path -d 'Ignore these fields and everything below them, such as spec.forProvider.tags.* or spec.rules[*].id' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l context-lines -d 'Lines of context around a change' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l orphans -d 'Also look for objects that nothing declares or owns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l certain -d 'Show certain differences only, not two possible spellings of one value'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l ignore -d 'Do not report these as orphans: KIND or KIND/NAME, where * matches any text; namespace/NAME ignores all objects in a namespace' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l repo -d 'Compare with this repository, rendered and dry-run on the clusters, instead of what the engines report: a directory, or a URL to clone' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l target-revision -d 'Only sources that track this branch or tag, or none in particular' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l repo-url -d 'The repository URL that Applications use, if no remote has it' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l destination -d 'Connect to an app cluster through a context of your kubeconfig; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l render-timeout -d 'Time limit for each renderer' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l ignore-path -d 'Ignore these fields and everything below them, such as spec.forProvider.tags.* or spec.rules[*].id' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l context-lines -d 'Lines of context around a change' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l orphans -d 'Also look for objects that nothing declares or owns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l certain -d 'Show certain differences only, not two possible spellings of one value'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l certain -d 'Leave out what is only suspected'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand conflicts" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l for -d 'The version of Crossplane that you want to upgrade to: what must change before' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l only -d 'Only these groups, checks or codes' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l skip -d 'All but these groups, checks or codes' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l severity -d 'Leave out what is less severe' -r -f -a "error\t'It is broken, or will be at a moment that is known'
warning\t'It will be, sooner or later'
info\t'Good to know'"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l stuck-after -d 'How long an object may be Progressing before it counts as Stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l repo-url -d 'The repository URL that Applications and Kustomizations use, if no remote has it' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l render-timeout -d 'Time limit for each renderer' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l timeout -d 'How long to wait until everything is OK; 0 looks once' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l secret-file -d 'Read a Secret that is missing from a file, or from standard input with -; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l secret-env -d 'Read a Secret that is missing from an environment variable; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l argocd-namespace -d 'Argo CD\'s namespace; by default, it is detected from AppProjects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l flux-namespace -d 'Flux\'s namespace; by default, it is detected from Kustomizations' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l dry-run -d 'Show the plan and change nothing; with -o yaml, the manifests without the Secrets'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l rehearse -d 'Show what would not come back from Git alone, if this cluster, or that of a snapshot, were gone'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -s y -l yes -d 'Do not ask for confirmation'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l force-conflicts -d 'Take over fields that others manage'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l allow-exec -d 'Run exec credential plugins that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l allow-proxy -d 'Use proxies that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l allow-insecure -d 'Skip TLS verification if a kubeconfig in a Secret says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l allow-localhost -d 'Allow kubeconfigs in Secrets to point to localhost, as in a test setup'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand bootstrap" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l base -d 'The revision to merge into; without it, the checkout is compared with the clusters' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l head -d 'The revision to merge; the working tree by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l functions -d 'Ask composition functions what becomes of composites: none, or those of the core cluster' -r -f -a "none\t'None: only the changes of claims and composites themselves are shown'
cluster\t'Those that run in the core cluster'"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l allow-function -d 'Ask this function of the core cluster too, though it may do more than compute; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l function -d 'Ask this function at grpc://HOST:PORT or, with the core cluster\'s certificates, grpcs://HOST:PORT; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l send -d 'Secret values that functions are sent: credentials, connection-details, secrets; none by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l function-timeout -d 'Time limit for each answer of a function' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l composite-depth -d 'How deep composites within composites are run' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l target-revision -d 'Only sources that track this branch or tag, or none in particular' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l repo-url -d 'The repository URL that Applications use, if no remote has it' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l destination -d 'Connect to an app cluster through a context of your kubeconfig; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l render-timeout -d 'Time limit for each renderer' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l kind -d 'Only versions of these kinds: image, chart, package, git' -r -f -a "image\t'A container image: a tag, a digest or both'
chart\t'A Helm chart'
package\t'A Crossplane package, or a program, module or release that is neither image nor chart'
git\t'A Git repository: a tag, a branch or a commit'"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s C -l directory -d 'Use the repository of this directory instead of the current one' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l repo -d 'The repository: a directory, or a URL to clone' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l running -d 'Show what is running in the cluster; implied by --from, --context, --contexts, --kubeconfig and --server'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l explain -d 'Explain how services and environments were detected'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l terraform-state -d 'Take over what this Terraform state manages; - reads standard input' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l map -d 'The kind of a Terraform type, where its name does not tell; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l set -d 'A field that is needed to find things, such as region=eu-central-1, in every kind that has it; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l provider-config -d 'The provider config; by default, that of its neighbours' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l accept -d 'Own a resource although this field would change; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l into -d 'The directory for new manifests, from the top of the repository' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -s C -l directory -d 'Use the repository of this directory instead of the current one' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l repo -d 'The repository: a directory, or a URL to clone' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l branch -d 'Commit to this branch, which is created if needed; the working tree is not changed' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l message -d 'Commit message; by default, it lists the changes' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -s y -l yes -d 'Do not ask for confirmation'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l dry-run -d 'Show the plan and change nothing'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l commit -d 'Commit the edited files on the current branch'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l push -d 'Commit to the tip of the remote branch and push, retrying if others push first; the working tree is not changed'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -s C -l directory -d 'Offer the tool images too, for the repository of this directory' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand mcp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -f -a "service" -d 'Add a service as a copy of one that there is'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and not __fish_seen_subcommand_from service help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l like -d 'The service to copy' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l image -d 'The image of the new service; by default it runs that of the existing one' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l database -d 'A database of its own' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l database-like -d 'The claim or managed resource to copy for it' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l environments -d 'Only for these environments; all of them by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l core -d 'The repository of the core cluster, where that is another one: it has the claims, and what distributes their Secrets' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -s C -l directory -d 'Use the repository of this directory instead of the current one' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l repo -d 'The repository: a directory, or a URL to clone' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l branch -d 'Commit to this branch, which is created if needed; the working tree is not changed' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l message -d 'Commit message; by default, it lists the changes' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -s y -l yes -d 'Do not ask for confirmation'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l dry-run -d 'Show the plan and change nothing'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l commit -d 'Commit the edited files on the current branch'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l push -d 'Commit to the tip of the remote branch and push, retrying if others push first; the working tree is not changed'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from service" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from help" -f -a "service" -d 'Add a service as a copy of one that there is'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand new; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l only -d 'Only this artifact: its name as in the file, or the last part of it; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l soak -d 'How long the version must have been running in FROM; implies --verify' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s C -l directory -d 'Use the repository of this directory instead of the current one' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l repo -d 'The repository: a directory, or a URL to clone' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l branch -d 'Commit to this branch, which is created if needed; the working tree is not changed' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l message -d 'Commit message; by default, it lists the changes' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l all -d 'Promote every service'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l verify -d 'Promote only versions that are Synced, Healthy and running in FROM'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l no-verify -d 'Do not verify, even if .ucp.yaml says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s y -l yes -d 'Do not ask for confirmation'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l dry-run -d 'Show the plan and change nothing'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l commit -d 'Commit the edited files on the current branch'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l push -d 'Commit to the tip of the remote branch and push, retrying if others push first; the working tree is not changed'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l allow-downgrade -d 'Allow an older version to replace a newer one'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l file -d 'Edit this file, or the kustomization in this directory' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s C -l directory -d 'Use the repository of this directory instead of the current one' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l repo -d 'The repository: a directory, or a URL to clone' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l branch -d 'Commit to this branch, which is created if needed; the working tree is not changed' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l message -d 'Commit message; by default, it lists the changes' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s y -l yes -d 'Do not ask for confirmation'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l dry-run -d 'Show the plan and change nothing'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l commit -d 'Commit the edited files on the current branch'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l push -d 'Commit to the tip of the remote branch and push, retrying if others push first; the working tree is not changed'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l allow-downgrade -d 'Allow an older version to replace a newer one'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l file -d 'Edit this file, or the kustomization in this directory' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s C -l directory -d 'Use the repository of this directory instead of the current one' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l repo -d 'The repository: a directory, or a URL to clone' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l branch -d 'Commit to this branch, which is created if needed; the working tree is not changed' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l message -d 'Commit message; by default, it lists the changes' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s y -l yes -d 'Do not ask for confirmation'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l dry-run -d 'Show the plan and change nothing'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l commit -d 'Commit the edited files on the current branch'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l push -d 'Commit to the tip of the remote branch and push, retrying if others push first; the working tree is not changed'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l allow-downgrade -d 'Allow an older version to replace a newer one'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l argocd-namespace -d 'Argo CD\'s namespace; by default, it is detected from AppProjects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l flux-namespace -d 'Flux\'s namespace; by default, it is detected from Kustomizations' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l probe -d 'Send a request to each cluster, and show its version and how long it took'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l exit-code -d 'Exit with 1 if a cluster is stale, unusable, unreachable or duplicated'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l allow-exec -d 'Run exec credential plugins that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l allow-proxy -d 'Use proxies that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l allow-insecure -d 'Skip TLS verification if a kubeconfig in a Secret says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l allow-localhost -d 'Allow kubeconfigs in Secrets to point to localhost, as in a test setup'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l secret -d 'Secret with a kubeconfig of the cluster, of any type; the key is kubeconfig by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l from-kubeconfig -d 'Use this kubeconfig, for a cluster whose Secret was lost' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l from-context -d 'The context in that kubeconfig; the current one by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l save-secret -d 'Save the kubeconfig to the core cluster, as a connection Secret' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l engine -d 'Engines to register with; by default, the one that is installed' -r -f -a "argocd\t'Argo CD: cluster Secrets in its namespace'
flux\t'Flux: kubeconfigs that Kustomizations and HelmReleases refer to'"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l auth -d 'How the engine authenticates [default: service-account]' -r -f -a "service-account\t'A dedicated ServiceAccount in the app cluster'
passthrough\t'The credential of the connection Secret as it is'
aws\t'AWS identity of the engine\'s own pods'
gcp\t'Google Cloud identity of the engine\'s own pods'
azure\t'Azure identity of the engine\'s own pods'"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l bootstrap-context -d 'Kubeconfig context that may write RBAC in the app cluster, if the Secret\'s credential may not' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l bootstrap-kubeconfig -d 'Kubeconfig file with such a context; the current context is used unless --bootstrap-context is set' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l token-ttl -d 'Lifetime of tokens, such as 24h; by default, they are valid until they are revoked' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l namespaces -d 'Grant rights in these namespaces only' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l secrets-namespaces -d 'Also give \'kubectl ucp secrets\' a ServiceAccount for the Secrets of these namespaces' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l cluster-role -d 'Grant this ClusterRole of the app cluster' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l service-account -d 'The ServiceAccount in the app cluster [default: a dedicated one in kube-system]' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l name -d 'Name of the cluster in the engine, if it should differ; for a single cluster only' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l label -d 'Label of the registration, such as environment=prod; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l annotation -d 'Annotation of the registration; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l project -d 'The only AppProject that may use the cluster (Argo CD)' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l shard -d 'Shard of the application controller that manages the cluster (Argo CD)' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l aws-role-arn -d 'The role that --auth aws assumes (Argo CD)' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l argocd-namespace -d 'Argo CD\'s namespace; by default, it is detected from AppProjects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l flux-namespace -d 'Flux\'s namespace; by default, it is detected from Kustomizations' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l credential -d 'How the manifests of --dry-run -o yaml represent the credential' -r -f -a "left-out\t'Not at all: you add it by other means'
external-secret\t'An ExternalSecret of the External Secrets Operator, with the token under the cluster\'s name in the store'
sealed-secret\t'A SealedSecret; seal the token yourself with kubeseal --raw'"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l secret-store -d 'The ClusterSecretStore that an ExternalSecret reads the token from' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l interval -d 'How often --watch checks' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l all -d 'All clusters that were provisioned from the core cluster; with -l, those that match the selector'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l rotate -d 'Create a new credential, test it, then revoke the old one'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l read-only -d 'Grant get, list and watch only'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l force-conflicts -d 'Take over registrations and fields that others manage'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l allow-exec -d 'Run exec credential plugins that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l allow-proxy -d 'Use proxies that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l allow-insecure -d 'Skip TLS verification if a kubeconfig in a Secret says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l allow-localhost -d 'Allow kubeconfigs in Secrets to point to localhost, as in a test setup'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l dry-run -d 'Show what would be done, and exit; with -o yaml, print the manifests'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s y -l yes -d 'Do not ask for confirmation'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l watch -d 'Keep running: adopt new clusters and renew credentials before they expire, without asking'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l print-rbac -d 'Print the minimum RBAC that --watch needs in the core cluster, limited to -n NAMESPACE if given, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l engine -d 'Engines to remove it from; all by default' -r -f -a "argocd\t'Argo CD: cluster Secrets in its namespace'
flux\t'Flux: kubeconfigs that Kustomizations and HelmReleases refer to'"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l bootstrap-context -d 'Kubeconfig context that may write RBAC in the app cluster, if the Secret\'s credential may not' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l bootstrap-kubeconfig -d 'Kubeconfig file with such a context; the current context is used unless --bootstrap-context is set' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l argocd-namespace -d 'Argo CD\'s namespace; by default, it is detected from AppProjects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l flux-namespace -d 'Flux\'s namespace; by default, it is detected from Kustomizations' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l secrets -d 'Remove only the ServiceAccount of \'kubectl ucp secrets\''
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l force -d 'Release it even if something deploys to it, someone else registered it, or the app cluster cannot be cleaned up'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l allow-exec -d 'Run exec credential plugins that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l allow-proxy -d 'Use proxies that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l allow-insecure -d 'Skip TLS verification if a kubeconfig in a Secret says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l allow-localhost -d 'Allow kubeconfigs in Secrets to point to localhost, as in a test setup'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l dry-run -d 'Show what would be done, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s y -l yes -d 'Do not ask for confirmation'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l app-cluster -d 'Only this app cluster; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l context-map -d 'The context of your kubeconfig that leads to an app cluster; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l app-from -d 'With --from, the snapshot of an app cluster; may be repeated' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l argocd-namespace -d 'Argo CD\'s namespace; by default, it is detected from AppProjects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l flux-namespace -d 'Flux\'s namespace; by default, it is detected from Kustomizations' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l use-registration -d 'Where no context leads to an app cluster, log in as its engine or its provisioner does, who may do more than you'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l allow-exec -d 'Run exec credential plugins that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l allow-proxy -d 'Use proxies that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l allow-insecure -d 'Skip TLS verification if a kubeconfig in a Secret says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l allow-localhost -d 'Allow kubeconfigs in Secrets to point to localhost, as in a test setup'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l exit-code -d 'Exit with 1 if a Secret is not as it should be'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -a "sync" -d 'Copy Secrets of the core cluster to where app clusters need them'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -a "declare" -d 'Print declarations of copies for Git, without values'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -a "verify" -d 'Exit with 1 unless every Secret is where the workloads need it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and not __fish_seen_subcommand_from sync declare verify help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l app-cluster -d 'Only this app cluster; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l context-map -d 'The context of your kubeconfig that leads to an app cluster; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l app-from -d 'With --from, the snapshot of an app cluster; may be repeated' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l argocd-namespace -d 'Argo CD\'s namespace; by default, it is detected from AppProjects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l flux-namespace -d 'Flux\'s namespace; by default, it is detected from Kustomizations' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l use-registration -d 'Where no context leads to an app cluster, log in as its engine or its provisioner does, who may do more than you'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l allow-exec -d 'Run exec credential plugins that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l allow-proxy -d 'Use proxies that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l allow-insecure -d 'Skip TLS verification if a kubeconfig in a Secret says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l allow-localhost -d 'Allow kubeconfigs in Secrets to point to localhost, as in a test setup'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l force-conflicts -d 'Take values over that another field manager owns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l allow-poorer -d 'Replace a copy by a source that has fewer keys: the copy may be the last one of a password'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l prune -d 'Delete copies of ours that nothing declares or asks for any more'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l dry-run -d 'Show the plan and change nothing; with -o yaml, the manifests without their values'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -s y -l yes -d 'Do not ask for confirmation'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l watch -d 'Keep running: write what is declared, and again whenever a Secret or a declaration changes, without asking'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from sync" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l as -d 'Whose declaration it is to be' -r -f -a "pushsecret\t''
syncer\t''
object\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l to-namespace -d 'The namespace in the app cluster; by default where it is declared or asked for' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l app-cluster -d 'Only this app cluster; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l context-map -d 'The context of your kubeconfig that leads to an app cluster; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l app-from -d 'With --from, the snapshot of an app cluster; may be repeated' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l argocd-namespace -d 'Argo CD\'s namespace; by default, it is detected from AppProjects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l flux-namespace -d 'Flux\'s namespace; by default, it is detected from Kustomizations' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l use-registration -d 'Where no context leads to an app cluster, log in as its engine or its provisioner does, who may do more than you'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l allow-exec -d 'Run exec credential plugins that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l allow-proxy -d 'Use proxies that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l allow-insecure -d 'Skip TLS verification if a kubeconfig in a Secret says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l allow-localhost -d 'Allow kubeconfigs in Secrets to point to localhost, as in a test setup'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from declare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l app-cluster -d 'Only this app cluster; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l context-map -d 'The context of your kubeconfig that leads to an app cluster; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l app-from -d 'With --from, the snapshot of an app cluster; may be repeated' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l argocd-namespace -d 'Argo CD\'s namespace; by default, it is detected from AppProjects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l flux-namespace -d 'Flux\'s namespace; by default, it is detected from Kustomizations' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l use-registration -d 'Where no context leads to an app cluster, log in as its engine or its provisioner does, who may do more than you'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l allow-exec -d 'Run exec credential plugins that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l allow-proxy -d 'Use proxies that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l allow-insecure -d 'Skip TLS verification if a kubeconfig in a Secret says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l allow-localhost -d 'Allow kubeconfigs in Secrets to point to localhost, as in a test setup'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from help" -f -a "sync" -d 'Copy Secrets of the core cluster to where app clusters need them'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from help" -f -a "declare" -d 'Print declarations of copies for Git, without values'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from help" -f -a "verify" -d 'Exit with 1 unless every Secret is where the workloads need it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand secrets; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -f -a "bash" -d 'Print the script for bash'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -f -a "zsh" -d 'Print the script for zsh'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -f -a "fish" -d 'Print the script for fish'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -f -a "powershell" -d 'Print the script for PowerShell'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -f -a "elvish" -d 'Print the script for elvish'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -f -a "install" -d 'Make `kubectl ucp <TAB>` work: link kubectl_complete-ucp to kubectl-ucp'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "bash" -d 'Print the script for bash'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "zsh" -d 'Print the script for zsh'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "fish" -d 'Print the script for fish'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "powershell" -d 'Print the script for PowerShell'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "elvish" -d 'Print the script for elvish'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "install" -d 'Make `kubectl ucp <TAB>` work: link kubectl_complete-ucp to kubectl-ucp'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l argocd-namespace -d 'Argo CD\'s namespace; by default, it is detected from AppProjects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l flux-namespace -d 'Flux\'s namespace; by default, it is detected from Kustomizations' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l overwrite -d 'Replace a snapshot that is there already'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l app-clusters -d 'Take the app clusters too that are registered with Argo CD or Flux'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l allow-exec -d 'Run exec credential plugins that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l allow-proxy -d 'Use proxies that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l allow-insecure -d 'Skip TLS verification if a kubeconfig in a Secret says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l allow-localhost -d 'Allow kubeconfigs in Secrets to point to localhost, as in a test setup'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -a "diff" -d 'Show what changed between two snapshots'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and not __fish_seen_subcommand_from diff help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l stuck-after -d 'How long an object may be Progressing before it counts as Stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from help" -f -a "diff" -d 'Show what changed between two snapshots'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand snapshot; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l depth -d 'Steps from the object; all by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l stuck-after -d 'How long an object may be Progressing before it counts as Stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l context-map -d 'The context of your kubeconfig that leads to an app cluster; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l app-from -d 'With --from, the snapshot of an app cluster; may be repeated' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l argocd-namespace -d 'Argo CD\'s namespace; by default, it is detected from AppProjects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l flux-namespace -d 'Flux\'s namespace; by default, it is detected from Kustomizations' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l up -d 'Only what leads to it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l down -d 'Only what it leads to'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l app-clusters -d 'Look into the app clusters, too: where Secrets are copied to, and how the copies are'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l use-registration -d 'Where no context leads to an app cluster, log in as its engine or its provisioner does, who may do more than you'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l allow-exec -d 'Run exec credential plugins that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l allow-proxy -d 'Use proxies that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l allow-insecure -d 'Skip TLS verification if a kubeconfig in a Secret says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l allow-localhost -d 'Allow kubeconfigs in Secrets to point to localhost, as in a test setup'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l client -d 'Show the plugin\'s own version only'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l for -d 'What to wait for: ok, synced, gone, a verdict such as Paused, or current: the copies of a Secret in app clusters' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l revision -d 'Only this commit, tag or chart version counts: an older one is not OK' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l owner -d 'Wait for this claim, composite, Application, Kustomization or HelmRelease and all that comes of it' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l timeout -d 'How long to wait; 0 looks once' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l app-cluster -d 'With --for current, only this app cluster; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l stuck-after -d 'How long an object may be Progressing before it counts as Stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l context-map -d 'The context of your kubeconfig that leads to an app cluster; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l app-from -d 'With --from, the snapshot of an app cluster; may be repeated' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l argocd-namespace -d 'Argo CD\'s namespace; by default, it is detected from AppProjects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l flux-namespace -d 'Flux\'s namespace; by default, it is detected from Kustomizations' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input; several are several core clusters' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l contexts -d 'Read several core clusters: the names of their kubeconfig contexts' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l conventions -d 'How to read the status of kinds that no engine covers: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l cache-dir -d 'Where kubectl keeps what it discovered, which completion reads; nothing is written there' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -s n -l namespace -d 'Only this namespace, and cluster-scoped objects' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -s l -l selector -d 'Only objects that match this label selector, as for kubectl' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -s o -l output -d 'table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l all -d 'Wait for every object of every engine, or of the kinds that are named'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l keep-waiting -d 'Wait for the timeout although an object is Failed, NeedsHuman or Paused'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l use-registration -d 'Where no context leads to an app cluster, log in as its engine or its provisioner does, who may do more than you'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l allow-exec -d 'Run exec credential plugins that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l allow-proxy -d 'Use proxies that kubeconfigs in Secrets specify'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l allow-insecure -d 'Skip TLS verification if a kubeconfig in a Secret says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l allow-localhost -d 'Allow kubeconfigs in Secrets to point to localhost, as in a test setup'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l all-contexts -d 'Read the core clusters of all kubeconfig contexts'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -s A -l all-namespaces -d 'All namespaces; this is the default, and overrides -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l print-rbac -d 'Print the RBAC roles that this command needs, and exit'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -s q -l quiet -d 'Print data and errors only: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -l no-pager -d 'Do not send long output to a pager ($PAGER, or less)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand wait" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "status" -d 'Show whether the control plane is healthy, and why not'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "teardown" -d 'Show what a deletion deletes, orphans or leaves stuck'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "resources" -d 'List managed resources, composites and claims, problems first'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "drift" -d 'Show differences between declared, live and external state'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "conflicts" -d 'Find external resources that several objects claim'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "doctor" -d 'Find what will break tomorrow, or in the next upgrade'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "bootstrap" -d 'Make an empty cluster the core cluster of a repository'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "plan" -d 'Show what a merge would change, in the clusters and outside'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "explain" -d 'Explain a finding: what it means, and what to do about it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "images" -d 'Show which versions each environment declares and runs'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "import" -d 'Take over what exists outside, without changing it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "mcp" -d 'Let assistants read: a Model Context Protocol server'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "new" -d 'Make something new in the style of a repository'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "promote" -d 'Copy image versions from one environment to another'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "set-version" -d 'Set versions of any kind, for example from CI'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "set-image" -d 'Set image versions in one environment, for example from CI'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "clusters" -d 'List app clusters, their credentials and registrations'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "adopt-cluster" -d 'Register app clusters with Argo CD or Flux'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "release-cluster" -d 'Remove an app cluster from Argo CD or Flux'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "secrets" -d 'Show whether app clusters have the Secrets that they need'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "completion" -d 'Print completion scripts, or set up `kubectl ucp <TAB>`'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "snapshot" -d 'Save everything that these commands read, without secrets'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "tree" -d 'Show where an object comes from and what depends on it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "version" -d 'Show the versions of this plugin and of the API server'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "wait" -d 'Wait until objects are OK, synced or gone'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status teardown resources drift conflicts doctor bootstrap plan explain images import mcp new promote set-version set-image clusters adopt-cluster release-cluster secrets completion snapshot tree version wait help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from new" -f -a "service" -d 'Add a service as a copy of one that there is'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from secrets" -f -a "sync" -d 'Copy Secrets of the core cluster to where app clusters need them'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from secrets" -f -a "declare" -d 'Print declarations of copies for Git, without values'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from secrets" -f -a "verify" -d 'Exit with 1 unless every Secret is where the workloads need it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "bash" -d 'Print the script for bash'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "zsh" -d 'Print the script for zsh'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "fish" -d 'Print the script for fish'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "powershell" -d 'Print the script for PowerShell'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "elvish" -d 'Print the script for elvish'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "install" -d 'Make `kubectl ucp <TAB>` work: link kubectl_complete-ucp to kubectl-ucp'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from snapshot" -f -a "diff" -d 'Show what changed between two snapshots'
