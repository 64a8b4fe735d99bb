# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_kubectl_ucp_global_optspecs
    string join \n from= kubeconfig= context= cluster= user= s/server= token= as= as-group= as-uid= as-user-extra= certificate-authority= client-certificate= client-key= tls-server-name= insecure-skip-tls-verify request-timeout= v/v= disable-compression external-controllers= conventions= cache-dir= n/namespace= A/all-namespaces l/selector= o/output= no-headers print-rbac q/quiet no-pager color= h/help V/version
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

complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s V -l version -d 'Print version'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "status" -d 'Show whether the control plane is well, and what to do first'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "resources" -d 'List managed resources, composites and claims, problems first'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "managed" -d 'List managed resources, composites and claims, problems first'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "drift" -d 'Show where declared, live and external state differ, as diffs'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "diff" -d 'Show where declared, live and external state differ, as diffs'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "plan" -d 'Show what a merge would change, in the clusters and outside'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "explain" -d 'Tell what the code of a finding means and what to do about it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "images" -d 'Show which versions each environment declares and runs'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "promote" -d 'Copy image versions from one environment to another'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "set-version" -d 'Set versions of any kind, as a pipeline does'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "set-image" -d 'Set image versions in one environment, as a pipeline does'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "clusters" -d 'List app clusters, their credentials and registrations'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "adopt-cluster" -d 'Register app clusters with Argo CD or Flux'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "release-cluster" -d 'Take an app cluster out of Argo CD or Flux again'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "completion" -d 'Print completion scripts, or set up `kubectl ucp <TAB>`'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "tree" -d 'Show where an object comes from and what depends on it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "version" -d 'Show the versions of this plugin and of the API server'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l stuck-after -d 'Progressing for longer than this is stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l exit-code -d 'Exit with 1 if there are findings, other than paused objects, and with 4 if -l selects nothing'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l any -d 'Judge custom resources of every kind too, and workloads, Jobs, volumes and the like: one line a group'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s w -l watch -d 'Stay and show the page again whenever something changes'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l group -d 'Only resources of this API group or of one below it' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l provider -d 'Only resources of this provider package, such as provider-aws' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l only -d 'Only these verdicts, such as Failed,Stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l owner -d 'Only what this claim, composite, Application, Kustomization or HelmRelease owns: NAME, KIND/NAME or NAMESPACE/NAME' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l field-selector -d 'Only objects with these fields, as kubectl\'s: metadata.name=NAME, metadata.namespace!=NAME' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l sort-by -d 'Order by verdict, name, kind, age or external-name, or by a JSONPath as kubectl does' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s L -l label-columns -d 'Show these labels in columns of their own, such as app,team' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l stuck-after -d 'Progressing for longer than this is stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l show-labels -d 'Show all labels in the last column'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l show-kind -d 'Show the kind in front of each name, also where only one is asked for'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l ignore-not-found -d 'Exit with 0 where an object that is named does not exist'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l any -d 'List custom resources of every kind, and workloads, Pods, Jobs, volumes and the like'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l whole -d 'Print whole objects as \'kubectl get\' does, instead of ucp/v1: for templates and scripts made for kubectl'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s w -l watch -d 'Stay, and show the list again whenever something changes'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l group -d 'Only resources of this API group or of one below it' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l provider -d 'Only resources of this provider package, such as provider-aws' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l only -d 'Only these verdicts, such as Failed,Stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l owner -d 'Only what this claim, composite, Application, Kustomization or HelmRelease owns: NAME, KIND/NAME or NAMESPACE/NAME' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l field-selector -d 'Only objects with these fields, as kubectl\'s: metadata.name=NAME, metadata.namespace!=NAME' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l sort-by -d 'Order by verdict, name, kind, age or external-name, or by a JSONPath as kubectl does' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s L -l label-columns -d 'Show these labels in columns of their own, such as app,team' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l stuck-after -d 'Progressing for longer than this is stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l show-labels -d 'Show all labels in the last column'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l show-kind -d 'Show the kind in front of each name, also where only one is asked for'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l ignore-not-found -d 'Exit with 0 where an object that is named does not exist'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l any -d 'List custom resources of every kind, and workloads, Pods, Jobs, volumes and the like'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l whole -d 'Print whole objects as \'kubectl get\' does, instead of ucp/v1: for templates and scripts made for kubectl'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s w -l watch -d 'Stay, and show the list again whenever something changes'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l ignore -d 'Leave these out of the orphans, as KIND or KIND/NAME with * in it; namespace/NAME for all that it holds' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l repo -d 'Compare with this repository itself, rendered and tried on the clusters, instead of what the engines say: a directory, or a URL, of which a private clone is made' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l target-revision -d 'Only what follows this branch or tag, or no particular one' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l repo-url -d 'The URL by which Applications know the repository, where no remote has it' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l destination -d 'Reach an app cluster through a context of your own kubeconfig; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l render-timeout -d 'How long one renderer may run' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l ignore-path -d 'Leave out these fields with all below them, such as spec.forProvider.tags.* or spec.rules[*].id' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l context-lines -d 'Lines around a change' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l orphans -d 'Look for objects that nothing accounts for, too'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l certain -d 'Leave out what may be only another spelling'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand drift" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l ignore -d 'Leave these out of the orphans, as KIND or KIND/NAME with * in it; namespace/NAME for all that it holds' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l repo -d 'Compare with this repository itself, rendered and tried on the clusters, instead of what the engines say: a directory, or a URL, of which a private clone is made' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l target-revision -d 'Only what follows this branch or tag, or no particular one' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l repo-url -d 'The URL by which Applications know the repository, where no remote has it' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l destination -d 'Reach an app cluster through a context of your own kubeconfig; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l render-timeout -d 'How long one renderer may run' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l ignore-path -d 'Leave out these fields with all below them, such as spec.forProvider.tags.* or spec.rules[*].id' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l context-lines -d 'Lines around a change' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l orphans -d 'Look for objects that nothing accounts for, too'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l certain -d 'Leave out what may be only another spelling'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l base -d 'The revision that would be merged into; without it, the comparison is with what the clusters hold' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l head -d 'The revision that would be merged; the working tree by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l target-revision -d 'Only what follows this branch or tag, or no particular one' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l repo-url -d 'The URL by which Applications know the repository, where no remote has it' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l destination -d 'Reach an app cluster through a context of your own kubeconfig; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l render-timeout -d 'How long one renderer may run' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l kind -d 'Only versions of these: image, chart, package, git' -r -f -a "image\t'A container image: a tag, a digest or both'
chart\t'A Helm chart'
package\t'A Crossplane package, or a program, module or release that is neither image nor chart'
git\t'A Git repository: a tag, a branch or a commit'"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s C -l directory -d 'The repository that this directory is in, instead of the current one' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l repo -d 'The repository: a directory, or a URL, of which a private clone is made' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l running -d 'Ask the cluster what runs; implied by --from, --context, --kubeconfig and --server'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l explain -d 'Say how services and environments were found'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand images" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l only -d 'Only this artifact, as a file names it or by its last part; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l soak -d 'How long it must have run in FROM; implies --verify' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s C -l directory -d 'The repository that this directory is in, instead of the current one' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l repo -d 'The repository: a directory, or a URL, of which a private clone is made' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l branch -d 'Commit on this branch, which is made where it does not exist; the work tree stays as it is' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l message -d 'The commit message, instead of one that lists what moved' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l all -d 'Promote every service'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l verify -d 'Only promote what is Synced, Healthy and really runs in FROM'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l no-verify -d 'Do not look at a cluster, even where .ucp.yaml says so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s y -l yes -d 'Go ahead without asking, as CI does'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l dry-run -d 'Show the plan and change nothing'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l allow-downgrade -d 'Accept an older version in place of a newer one'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l commit -d 'Commit the edited files on the current branch'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l push -d 'Commit on the tip of the remote\'s branch and push, as often as others are faster; the work tree stays as it is'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand promote" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l file -d 'Edit this file, or the kustomization of this directory' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s C -l directory -d 'The repository that this directory is in, instead of the current one' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l repo -d 'The repository: a directory, or a URL, of which a private clone is made' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l branch -d 'Commit on this branch, which is made where it does not exist; the work tree stays as it is' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l message -d 'The commit message, instead of one that lists what moved' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s y -l yes -d 'Go ahead without asking, as CI does'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l dry-run -d 'Show the plan and change nothing'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l allow-downgrade -d 'Accept an older version in place of a newer one'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l commit -d 'Commit the edited files on the current branch'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l push -d 'Commit on the tip of the remote\'s branch and push, as often as others are faster; the work tree stays as it is'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-version" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l file -d 'Edit this file, or the kustomization of this directory' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s C -l directory -d 'The repository that this directory is in, instead of the current one' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l repo -d 'The repository: a directory, or a URL, of which a private clone is made' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l branch -d 'Commit on this branch, which is made where it does not exist; the work tree stays as it is' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l message -d 'The commit message, instead of one that lists what moved' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s y -l yes -d 'Go ahead without asking, as CI does'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l dry-run -d 'Show the plan and change nothing'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l allow-downgrade -d 'Accept an older version in place of a newer one'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l commit -d 'Commit the edited files on the current branch'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l push -d 'Commit on the tip of the remote\'s branch and push, as often as others are faster; the work tree stays as it is'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand set-image" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l argocd-namespace -d 'Argo CD\'s namespace; found by its AppProjects otherwise' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l flux-namespace -d 'Flux\'s namespace; found by its Kustomizations otherwise' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l probe -d 'Send a request to each cluster, and show its version and how long it took'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l exit-code -d 'Exit with 1 where a cluster is stale, unusable, unreachable or duplicated'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l allow-exec -d 'Start the programs (exec) that kubeconfigs in Secrets name'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l allow-proxy -d 'Follow the proxies that kubeconfigs in Secrets name'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l allow-insecure -d 'Take any server for the right one where kubeconfigs in Secrets say so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l allow-localhost -d 'Take localhost in Secrets for this machine, as in a lab'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand clusters" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l secret -d 'The Secret with the way in, whatever it looks like; its key is kubeconfig unless it says otherwise' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l from-kubeconfig -d 'Take the way in from this kubeconfig, for a cluster whose Secret was lost' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l from-context -d 'The context in that kubeconfig; the current one by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l save-secret -d 'Write the way in back into the core cluster, as a connection Secret' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l engine -d 'With which engines; the one that is installed by default' -r -f -a "argocd\t'Argo CD: cluster Secrets in its namespace'
flux\t'Flux: kubeconfigs that Kustomizations and HelmReleases refer to'"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l auth -d 'How the engine logs in [default: service-account]' -r -f -a "service-account\t'A ServiceAccount of its own in the app cluster'
passthrough\t'The credential of the connection Secret as it is'
aws\t'AWS identity of the engine\'s own pods'
gcp\t'Google Cloud identity of the engine\'s own pods'
azure\t'Azure identity of the engine\'s own pods'"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l bootstrap-context -d 'A context of yours that may write RBAC in the app cluster, where the Secret\'s credential may not' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l bootstrap-kubeconfig -d 'A kubeconfig of yours that may; its current context unless --bootstrap-context says otherwise' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l token-ttl -d 'Tokens that end after this long, such as 24h; without it they last until they are revoked' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l namespaces -d 'Grant rights in these namespaces only' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l cluster-role -d 'Grant what this ClusterRole of the app cluster allows' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l service-account -d 'The ServiceAccount in the app cluster [default: one of its own in kube-system]' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l name -d 'Name of the cluster in the engine, where it should be another; for one cluster' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l label -d 'Label of the registration, such as environment=prod; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l annotation -d 'Annotation of the registration; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l project -d 'The one AppProject that may use the cluster (Argo CD)' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l shard -d 'The application controller that looks after the cluster (Argo CD)' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l aws-role-arn -d 'The role that --auth aws assumes (Argo CD)' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l argocd-namespace -d 'Argo CD\'s namespace; found by its AppProjects otherwise' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l flux-namespace -d 'Flux\'s namespace; found by its Kustomizations otherwise' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l credential -d 'What stands for the credential in the manifests of --dry-run -o yaml' -r -f -a "left-out\t'Nothing: it is put in by other means'
external-secret\t'An ExternalSecret of the External Secrets Operator, with the token under the cluster\'s name in the store'
sealed-secret\t'A SealedSecret, whose token is still to be sealed with kubeseal --raw'"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l secret-store -d 'The ClusterSecretStore that an ExternalSecret takes the token from' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l interval -d 'How often --watch looks' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l all -d 'Every cluster that something in the core cluster provisioned; with -l, those with these labels'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l rotate -d 'Make a new credential, prove it, then revoke the old one'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l read-only -d 'Grant get, list and watch only'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l force-conflicts -d 'Take over registrations and fields that others manage'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l allow-exec -d 'Start the programs (exec) that kubeconfigs in Secrets name'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l allow-proxy -d 'Follow the proxies that kubeconfigs in Secrets name'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l allow-insecure -d 'Take any server for the right one where kubeconfigs in Secrets say so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l allow-localhost -d 'Take localhost in Secrets for this machine, as in a lab'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l dry-run -d 'Show what would be done, and stop; with -o yaml, print the manifests'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s y -l yes -d 'Do it without asking'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l watch -d 'Stay, and adopt what appears and renew what ends; asks nothing'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l print-rbac -d 'Print the least RBAC that --watch needs in the core cluster, in -n NAMESPACE where that is given, and stop'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand adopt-cluster" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l engine -d 'From which engines; all that it is registered with by default' -r -f -a "argocd\t'Argo CD: cluster Secrets in its namespace'
flux\t'Flux: kubeconfigs that Kustomizations and HelmReleases refer to'"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l bootstrap-context -d 'A context of yours that may write RBAC in the app cluster, where the Secret\'s credential may not' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l bootstrap-kubeconfig -d 'A kubeconfig of yours that may; its current context unless --bootstrap-context says otherwise' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l argocd-namespace -d 'Argo CD\'s namespace; found by its AppProjects otherwise' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l flux-namespace -d 'Flux\'s namespace; found by its Kustomizations otherwise' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l force -d 'Release it although something deploys to it, it was registered by somebody else, or nobody can clean up there'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l allow-exec -d 'Start the programs (exec) that kubeconfigs in Secrets name'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l allow-proxy -d 'Follow the proxies that kubeconfigs in Secrets name'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l allow-insecure -d 'Take any server for the right one where kubeconfigs in Secrets say so'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l allow-localhost -d 'Take localhost in Secrets for this machine, as in a lab'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l dry-run -d 'Show what would be done, and stop'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s y -l yes -d 'Do it without asking'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand release-cluster" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -f -a "bash" -d 'Print the script for bash'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -f -a "zsh" -d 'Print the script for zsh'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -f -a "fish" -d 'Print the script for fish'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -f -a "powershell" -d 'Print the script for PowerShell'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -f -a "elvish" -d 'Print the script for elvish'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -f -a "install" -d 'Make `kubectl ucp <TAB>` work: link kubectl_complete-ucp to kubectl-ucp'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "bash" -d 'Print the script for bash'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "zsh" -d 'Print the script for zsh'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "fish" -d 'Print the script for fish'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "powershell" -d 'Print the script for PowerShell'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "elvish" -d 'Print the script for elvish'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "install" -d 'Make `kubectl ucp <TAB>` work: link kubectl_complete-ucp to kubectl-ucp'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l depth -d 'Steps from the object; all by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l stuck-after -d 'Progressing for longer than this is stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l up -d 'Only what leads to it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l down -d 'Only what it leads to'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand tree" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l external-controllers -d 'Engines and controllers that run outside of this cluster, such as argocd or provider-aws: that they are not seen here says nothing; $KUBECTL_UCP_EXTERNAL_CONTROLLERS by default' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l conventions -d 'What the status of kinds means that no engine knows: a file in the form of docs/any.md; $KUBECTL_UCP_CONVENTIONS by default' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l client -d 'Do not ask the server'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s A -l all-namespaces -d 'All namespaces, which is the default; counts for more than -n'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l print-rbac -d 'Print the RBAC roles that this command needs, and do nothing else'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l no-pager -d 'Never start a pager for output that does not fit the terminal: $PAGER, or less'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "status" -d 'Show whether the control plane is well, and what to do first'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "resources" -d 'List managed resources, composites and claims, problems first'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "drift" -d 'Show where declared, live and external state differ, as diffs'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "plan" -d 'Show what a merge would change, in the clusters and outside'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "explain" -d 'Tell what the code of a finding means and what to do about it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "images" -d 'Show which versions each environment declares and runs'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "promote" -d 'Copy image versions from one environment to another'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "set-version" -d 'Set versions of any kind, as a pipeline does'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "set-image" -d 'Set image versions in one environment, as a pipeline does'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "clusters" -d 'List app clusters, their credentials and registrations'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "adopt-cluster" -d 'Register app clusters with Argo CD or Flux'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "release-cluster" -d 'Take an app cluster out of Argo CD or Flux again'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "completion" -d 'Print completion scripts, or set up `kubectl ucp <TAB>`'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "tree" -d 'Show where an object comes from and what depends on it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "version" -d 'Show the versions of this plugin and of the API server'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and not __fish_seen_subcommand_from status resources drift plan explain images promote set-version set-image clusters adopt-cluster release-cluster completion tree version help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "bash" -d 'Print the script for bash'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "zsh" -d 'Print the script for zsh'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "fish" -d 'Print the script for fish'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "powershell" -d 'Print the script for PowerShell'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "elvish" -d 'Print the script for elvish'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "install" -d 'Make `kubectl ucp <TAB>` work: link kubectl_complete-ucp to kubectl-ucp'
