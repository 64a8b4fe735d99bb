//! The words of a status with their meanings, as data: every list is closed, and a word in none of them is unknown.

/// The meaning of a word, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WordMeaning {
    /// A failure.
    Bad,
    /// A human has to check or decide.
    Human,
    /// Reconciliation was paused on request.
    Paused,
    /// In progress.
    Progress,
    /// Healthy.
    Good,
    /// Healthy and complete.
    Done,
}

/// Words by meaning. A trailing star matches any suffix.
pub(super) const WORDS: [(WordMeaning, &str); 6] = [
    (
        WordMeaning::Bad,
        "fail* err error* fatal* critical* fault* invalid* malformed illegal den* deny* forbid* reject* refus* conflict* exceed* timeout* \
         deadline* crash* abort* cancel* unhealth* degrad* lost broken missing absent unreachable unavailable offline down \
         dead red disconnect* unauthorized unauthenticated misconfigur* unsupported incompatible mismatch* stall* stuck \
         deadlock* unable cannot expired evict* corrupt* insufficient inconsisten* unschedulable violat* unsuccess* \
         incorrect fenced oom* outage* unresolved duplicate* ambiguous revoked impaired ineffective unsatisf* blocked \
         unrecognized quarantin* impossible terminal backoff notfound outofsync drift* unclean pressure unrecoverable \
         noncompliant faulted dirty diverg* orphan* toomany splitbrain infeasible gone overload* exhaust* problem* throttl* starv* malfunction* irreconcilable tainted issue issues lagged lagging preempted underreplicated \
         undefined unlicensed abnormal* interrupted killed hung unusable unstable faulty",
    ),
    (
        WordMeaning::Human,
        "required approval* manual* warn* attention intervention confirm* acknowledg* inconclusive alert* alarm* need needs",
    ),
    (
        WordMeaning::Paused,
        "pause* suspend* hibernat* sleep* halt* stopped disabled dormant frozen inactive cordon* ignor* skip* deactivated deallocated parked retired archived unmanaged shutdown shutoff poweroff",
    ),
    (
        WordMeaning::Progress,
        "pend* wait* await* progress* init initial initialis* initializ* queue* request* submit* ongoing transition* \
         delay* retry* partial* yellow planned initiated outdated stale terminate* deleted incomplete unfinished undeployed \
         uninstalled unsynced unbound unready unknown behind begin* new bootstrap failover switchover reset maintenance removed todo requeue* startup draft proposed undetermined",
    ),
    (
        WordMeaning::Good,
        "ready run running active available healthy ok green online up established bound insync synced synchroni* \
         deployed created configured enabled valid validated applied installed connected normal accepted \
         reconciled updated upgraded passed approved issued registered provisioned listening attached started \
         programmed resolved admitted initialized initialised loaded stable operational alive live good latest \
         uptodate published joined idle scheduled serving passing verified exists working streaming monitoring watching promoted \
         reachable granted asexpected scaled satisfied trusted mounted allocated assigned linked imported \
         discovered released stored fulfilled match matches matched steady happy standby primary open compliant enough \
         bootstrapped launched injected recovered balanced generated addressable replicating enforced offered \
         upgradeable able reconcilable ensured managed rendered resolvable responsive activated claimed retrieved \
         drainable terminable parsed protected quiesced provided acquired adopted advertised aligned annotated \
         assembled attested authenticated authorized built cached calculated captured certified collected \
         compiled computed conformant consistent converged converted copied decrypted defined delegated delivered \
         determined downloaded elected eligible encrypted engaged enrolled evaluated executed exported extracted \
         fetched finalized fresh gathered identified ingested inspected instantiated leased licensed located \
         mapped merged migrated mirrored negotiated notified observed obtained onboarded optimal optimized owned \
         packaged paired parseable patched peered permitted persisted placed populated prepared preserved \
         processed produced propagated pulled pushed qualified quorate readable realized rebuilt received \
         recognized recommended recorded refreshed reserved restored rotated routable routed saved schedulable \
         scrubbed secured seeded selected served settled signed solved fixed cleared repaired subscribed supported sufficient tested \
         tracked transferred translated tuned unlocked unpacked unsealed uploaded usable visible writable written \
         nominal compatible pass current signable leader follower replica secondary forwarding tracking leading \
         following honored final met migratable evictable resizable expandable exportable deployable installable upgradable scalable mountable bindable added cleaned allowed deletable monitored retrained dispatched acyclic packed present passive contactable exist resized recreated renewed replicated projected formed realizable enforcing advertising announcing polling responding protecting",
    ),
    (WordMeaning::Done, "succeed* succed* success* complete completed completion completions done finished"),
];

/// Words that are written as several tokens.
pub(super) const JOINED: [(&[&str], &str); 65] = [
    (&["in", "active"], "inactive"),
    (&["in", "valid"], "invalid"),
    (&["non", "compliant"], "noncompliant"),
    (&["not", "compliant"], "noncompliant"),
    (&["under", "replicated"], "underreplicated"),
    (&["minimum", "replicas", "unavailable"], "pending"),
    (&["already", "claimed"], "alreadyexists"),
    (&["not", "allowed"], "denied"),
    (&["not", "permitted"], "denied"),
    (&["not", "authorized"], "unauthorized"),
    (&["not", "supported"], "unsupported"),
    (&["not", "compatible"], "incompatible"),
    (&["not", "sufficient"], "insufficient"),
    (&["not", "recognized"], "unrecognized"),
    (&["in", "complete"], "incomplete"),
    (&["in", "operational"], "unavailable"),
    (&["not", "reachable"], "unreachable"),
    (&["on", "hold"], "paused"),
    (&["shut", "down"], "shutdown"),
    (&["shut", "off"], "shutoff"),
    (&["powered", "off"], "poweroff"),
    (&["dis", "connected"], "disconnected"),
    (&["dis", "abled"], "disabled"),
    (&["gave", "up"], "failed"),
    (&["given", "up"], "failed"),
    // A smaller number of replicas is no failure.
    (&["scaling", "down"], "scaling"),
    (&["scaling", "up"], "scaling"),
    (&["scaling", "out"], "scaling"),
    (&["scaling", "in"], "scaling"),
    (&["scale", "down"], "scaling"),
    (&["scaled", "down"], "scaled"),
    (&["scaled", "up"], "scaled"),
    (&["no", "unknown"], "valid"),
    // Error texts that are harmless: they have no meaning by themselves.
    (&["already", "exists"], "alreadyexists"),
    (&["already", "exist"], "alreadyexists"),
    (&["back", "off"], "backoff"),
    (&["timed", "out"], "timeout"),
    (&["time", "out"], "timeout"),
    (&["not", "found"], "notfound"),
    (&["not", "exist"], "notfound"),
    (&["out", "of", "sync"], "outofsync"),
    (&["out", "of", "date"], "outdated"),
    (&["out", "of", "disk"], "exhausted"),
    (&["out", "of", "memory"], "exhausted"),
    (&["out", "of", "space"], "exhausted"),
    (&["in", "process"], "pending"),
    (&["up", "to", "date"], "uptodate"),
    (&["in", "sync"], "insync"),
    (&["as", "expected"], "asexpected"),
    (&["fall", "back"], "degraded"),
    (&["failing", "over"], "failover"),
    (&["fail", "over"], "failover"),
    // The work is elsewhere; whether all is well there, the word does not say.
    (&["failed", "over"], "relocated"),
    (&["dead", "letter"], "letter"),
    (&["too", "many"], "toomany"),
    (&["split", "brain"], "splitbrain"),
    (&["no", "matching"], "notfound"),
    (&["not", "enough"], "insufficient"),
    (&["non", "zero"], "enough"),
    (&["not", "healthy"], "unhealthy"),
    (&["rolled", "back"], "failed"),
    (&["rollback", "complete"], "failed"),
    (&["rollback", "completed"], "failed"),
    (&["rollback", "succeeded"], "failed"),
    (&["rollback", "failed"], "failed"),
];

/// Words that restrict a good word: `PartiallyReady` is not `Ready`.
pub(super) const QUALIFIERS: &[&str] = &[
    "partial", "almost", "most", "near", "bare", "minimal", "half", "some", "semi", "few", "hard", "limited", "less",
    "low",
];
/// Words in a good reason that say that it is not of everything, or not of the present: `PreviousVersionServed`.
pub(super) const RESTRICTIONS: [&str; 17] = [
    "but",
    "cached",
    "except",
    "fallback",
    "former",
    "formerly",
    "kept",
    "legacy",
    "loss",
    "old",
    "once",
    "only",
    "previous",
    "previously",
    "stale",
    "until",
    "was",
];
/// Adverbs that do not restrict; all others do.
pub(super) const FULLY: &str = "actively automatically cleanly completely correctly currently directly dynamically entirely externally \
     finally fully globally internally jointly locally mutually natively newly normally privately properly \
     publicly safely securely successfully uniquely";
/// Words that do not change the meaning of a good word next to them.
pub(super) const NEUTRAL: &str = "a account accounts action actions address addresses agent agents all allowance an and api app application apply apps \
     are artifact at auth authentication authorization availability backend backends backup backups balancer \
     bastion been bindings broker bucket build bundle bundles by ca cache catalog cell certificate \
     certificates chart check checks claim claims client cloud cluster clusters collection commit component \
     components compute condition conditions config configuration connection connections connector consumer \
     container containers content context control controller crd create creation credential credentials cron \
     cruise custom daemon data database dependencies dependency deploy deployment deployments device devices directory \
     disk disks dns domain downscale driver drivers egress element endpoint endpoints engine entries entry \
     environment etcd event events every everything export external feature features file files filter firewall \
     for from function functions gateway gateways graceful group groups had has have health host hosts http https \
     identity image import in infrastructure ingress install installation instance instances integration \
     interface internal internet into ip ips is issuer it item items its job kafka key keys known kubernetes \
     lease leases level license listener listeners load log logs machine mail manage manifest manifests member \
     members mesh metadata metric metrics migration model module modules mount name namespace namespaces nat \
     network node nodepool nodes object objects of on operand operands operation operations operator operators \
     order org organization package packages page parameter parameters parent partition partitions path peer \
     peers permission permissions phase pipeline pipelines plan plane platform post pre propagation plugin plugins pod pods point accounting auditing billing existing incoming logging networking outgoing routing tracing preflight preflights restart history integrity retention channel channels hub policies policy pool \
     pools port ports principal process profile project projects property provider providers provision proxy pull \
     push pvc query quorum range rbac rebalance reconcile reconciler reconciliation record records ref reference \
     references refs region registration registry release replica replicas replication repo repositories \
     repository requirement requirements resource resources restore result revision role roles rollout root route \
     router routes rule rules runner runtime sa scale scan scanner scans schedule schema scope scrape search secret secrets section \
     security selector sensor server service services session set sets shard shards site sites size slot snapshot \
     snapshots source sources space spec spoke stack stage state statefulset status step steps storage store \
     stream streams subject subnet subnets subscription sync syncs system table tables target targets task tasks \
     team template templates tenant tenants term test the to token tokens topic topics topology traffic \
     transfer trigger triggers type unit update upgrade upscale user users validation value values vault version \
     versions view virtual vm vms volume volumes vpc web webhook webhooks with work worker workers \
     workflow workload workloads workspace zone zones";

/// Ends of words that are written together with what they are about: `PODFAILURE`, `PODNOTREADY`.
pub(super) const RUN_ON: [(&str, WordMeaning); 6] = [
    ("failure", WordMeaning::Bad),
    ("failed", WordMeaning::Bad),
    ("error", WordMeaning::Bad),
    ("notfound", WordMeaning::Bad),
    ("notready", WordMeaning::Progress),
    ("inprogress", WordMeaning::Progress),
];

/// Words that negate the next one.
pub(super) const NEGATIONS: &[&str] = &["not", "no", "non", "none", "never", "without", "un", "isn", "zero"];
