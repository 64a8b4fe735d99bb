# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_kubectl_ucp_global_optspecs
    string join \n from= kubeconfig= context= cluster= user= s/server= token= as= as-group= as-uid= as-user-extra= certificate-authority= client-certificate= client-key= tls-server-name= insecure-skip-tls-verify request-timeout= v/v= disable-compression cache-dir= n/namespace= A/all-namespaces l/selector= o/output= no-headers q/quiet color= h/help V/version
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s A -l all-namespaces -d 'All namespaces, which is the default'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -s V -l version -d 'Print version'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "status" -d 'Show on one page whether the control plane is well, and if not, what to do first'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "resources" -d 'List every managed resource, composite and claim, problems first'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "managed" -d 'List every managed resource, composite and claim, problems first'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "explain" -d 'Tell what the code of a finding means, how it is known, and what to do about it'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "completion" -d 'Print completion scripts, or set up `kubectl ucp <TAB>`'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_needs_command" -f -a "version" -d 'Show the versions of this plugin and of the API server'
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l exit-code -d 'Exit with 1 where there are findings; paused objects are none'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s w -l watch -d 'Stay and show the page again whenever something changes'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s A -l all-namespaces -d 'All namespaces, which is the default'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l group -d 'Only resources of this API group or of one below it' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l provider -d 'Only resources of this provider package, such as provider-aws' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l only -d 'Only these verdicts, such as Failed,Stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l owner -d 'Only what this claim, composite, Application or Kustomization owns, by name' -r
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l show-labels -d 'Show all labels in the last column'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s A -l all-namespaces -d 'All namespaces, which is the default'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand resources" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l group -d 'Only resources of this API group or of one below it' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l provider -d 'Only resources of this provider package, such as provider-aws' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l only -d 'Only these verdicts, such as Failed,Stuck' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l owner -d 'Only what this claim, composite, Application or Kustomization owns, by name' -r
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l show-labels -d 'Show all labels in the last column'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s A -l all-namespaces -d 'All namespaces, which is the default'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand managed" -s h -l help -d 'Print help (see more with \'--help\')'
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s A -l all-namespaces -d 'All namespaces, which is the default'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -s s -l server -d 'Address of the Kubernetes API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l as -d 'User to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l as-user-extra -d 'Extra field of the user to impersonate, KEY=VALUE; may be repeated' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l certificate-authority -d 'Certificate authority file of the API server' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l client-certificate -d 'Client certificate file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l client-key -d 'Client key file' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l tls-server-name -d 'Name to expect in the API server\'s certificate' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l request-timeout -d 'How long one request may take, such as 30s or 2m; 0 is no limit' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -s A -l all-namespaces -d 'All namespaces, which is the default'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -f -a "bash" -d 'Print the script for bash'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -f -a "zsh" -d 'Print the script for zsh'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -f -a "fish" -d 'Print the script for fish'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -f -a "powershell" -d 'Print the script for PowerShell'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -f -a "elvish" -d 'Print the script for elvish'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell elvish install" -f -a "install" -d 'Make `kubectl ucp <TAB>` work: link kubectl_complete-ucp to kubectl-ucp'
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s A -l all-namespaces -d 'All namespaces, which is the default'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from bash" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s A -l all-namespaces -d 'All namespaces, which is the default'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s A -l all-namespaces -d 'All namespaces, which is the default'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from fish" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s A -l all-namespaces -d 'All namespaces, which is the default'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s A -l all-namespaces -d 'All namespaces, which is the default'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from elvish" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s v -l v -d 'At 6 and above, show each request on standard error: method, URL, status and time' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s A -l all-namespaces -d 'All namespaces, which is the default'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand completion; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l from -d 'Read a snapshot instead of a cluster: a file, a directory, or - for standard input' -r -F
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
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l cache-dir -d 'Accepted as kubectl\'s; nothing is cached on disk' -r -F
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s n -l namespace -d 'Only this namespace; cluster-scoped objects stay' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s l -l selector -d 'Only objects with these labels, as kubectl\'s -l' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s o -l output -d 'table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE or custom-columns=SPEC' -r
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l color -d 'Controls when to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l client -d 'Do not ask the server'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l disable-compression -d 'Do not ask for compressed answers'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s A -l all-namespaces -d 'All namespaces, which is the default'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -l no-headers -d 'Leave out the header line of tables and custom columns'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s q -l quiet -d 'Say nothing but data and errors: no progress, notes or warnings'
complete -c kubectl-ucp -n "__fish_kubectl_ucp_using_subcommand version" -s h -l help -d 'Print help (see more with \'--help\')'
