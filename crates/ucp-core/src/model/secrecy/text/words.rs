//! Words that follow names of secrets in sentences, and are not secrets.

/// English words after `token:` or `password is`, and words of error messages of Go, gRPC, and clouds.
const PROSE: &str = " a about absent accepted alone access account after again all allowed already also an and another any are argument \
    as at attempt auth authenticate authenticated authentication authenticator authenticators authorization authorized \
    available bad based be because been bound before being between blank both but by cached call can cannot cant case certificate \
    change changed check client config configuration configured configmap connection contains context correct could create \
    created credential credentials current data deadline decode decryption default defined delete deleted denied deprecated detected \
    dial did different directory disabled do does doesnt done duplicate during each either empty enabled encryption endpoint entry env \
    eof error errors exceeded exchange every executable exist existing exists expected expire expired expires expiring failed fails failure \
    false fetch field file files first fix flag flow for forbidden format found free from generate generated generation get given go gone had handshake \
    has have header hidden host http https id if ignored in incorrect input insufficient internal into invalid is issue issued issuer \
    it its json key keys kind known later leeway length limit list login longer lookup malformed manager match matches matching may \
    me method might mismatch missing more must name names namespace near need needed needs neither never new newer next no \
    none nor not null object of off ok old on once one only open option optional or other our out outside override parameter parse \
    parsing password passwords path patch permission policy post present property protected provide provided provider \
    provisioned put random read reader received reconcile reconciled references referenced refresh refused rejected \
    removed rename renewed replaced request requested required reset resolve resource response retrieved retry revoked \
    rotate rotated rotation same secret secrets security second see sent server service set should signature signed since size so \
    source specified spec state status still stored string succeeded success such support supported sync synced than that the their \
    them then there these they this those time timeout to token tokens too transport true try twice type unable unbound unauthenticated unauthorized \
    unavailable undefined under unexpected unknown unless unmarshal unreachable unset unspecified unsupported until \
    update updated use used user username users using valid validate validation value values variable variables verification \
    verified version via volume wait waiting warning was wasnt we were when where which while who will with within without \
    would write written wrong x yaml yes yet you your illegal wiretype got options opts number tag fetcher instead temporary mal environment incomplete cert fail fields immutable encrypt decrypt point sign verify rotating permanent existed mounted unused large small short long make sure ensure please run add added remove deleting creating updating reading writing whose what how why itself like however therefore moreover though otherwise meanwhile perhaps nevertheless ";

/// Returns true if a word is part of such sentences.
pub(super) fn is_prose(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let lower = word.to_ascii_lowercase();
    if lower.is_empty() || lower.len() > 24 || !lower.chars().all(|c| c.is_ascii_lowercase()) {
        return lower.is_empty();
    }
    let is_error = [
        "exception",
        "error",
        "denied",
        "failure",
        "unauthorized",
        "forbidden",
        "invalid",
        "notfound",
        "timeout",
        "expired",
    ]
    .iter()
    .any(|ending| lower.len() > ending.len() && lower.ends_with(ending));
    is_error || PROSE.contains(&format!(" {lower} "))
}

/// Words after `password` that together with it name something else: `password policy`.
const COMPOUNDS: &str = " age algorithm along argon argument arguments attempt attempts attribute authentication backend based bcrypt cache callback change changes channel character characters \
    checker checks checking cipher class column combination combo complexity credentials database dialog down details digest directly dialect encoder encoding entries entry entropy expiration expiry extension fields files filter flow \
    form free function functions generator generators grant guard hash hashes hashing helper hint hints history holder input interception item items keeper keyring label \
    length less lifetime link links login logins logon lookup mail manager managers message metadata mode modes module node \
    only over page pages pair param parameter parameters placeholder plugin policies policy prefix profile prompt \
    prompts protection provider providers quality recovery ref reference references requirement requirements \
    renewal reuse rollover rotation rotations rule rules safe screen salt secret secrets security section service setting settings setup sharing strategy system storage store stores strength \
    suffix sync template text through tool type types updates validator vault verifier verifiers version versions \
    wizard ";
/// Verbs and adjectives after `password is`, with their usual endings in English.
const DESCRIPTIONS: [&str; 10] = ["able", "ible", "ive", "ial", "ous", "ful", "ical", "ory", "ly", "less"];

/// Words after `the password is` in other languages.
const FOREIGN_DESCRIPTIONS: &str = " abgelaufen bekannt erforderlich falsch geändert gespeichert gesperrt gesetzt hinterlegt korrekt \
    kurz lang leer nicht nötig notwendig richtig schwach sicher unbekannt ungültig veraltet vergeben correct erroné expiré faux \
    incorrect incorrecte invalide manquant modifié nécessaire obligatoire requis requise trop vide caducada correcta demasiado \
    errónea incorrecta incorrecto inválida inválido necesaria obligatoria requerida vacía válida expirada incorreta necessária \
    obrigatória vazia errata obbligatoria richiesta sbagliata scaduta troppo valida vuota fout leeg niet ongeldig onjuist vereist \
    verlopen verplicht huidige nieuwe oude actual nueva nuevo anterior maestra atual nova novo mestra attuale nuova actuel nouveau obecne nowe fel felaktigt krävs tomt błędne nieprawidłowe puste wygasło wymagane ";

/// Returns true if a word in another language describes a password.
pub(super) fn is_foreign_description(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    FOREIGN_DESCRIPTIONS.contains(&format!(" {word} "))
}

/// Returns true if a word forms a compound with the word for a secret before it.
pub(super) fn is_compound(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    COMPOUNDS.contains(&format!(" {word} "))
}

/// Returns true for a word that more likely describes a secret than is one: `visible`, `inactive`, `rotating`, `encoded`.
pub(super) fn is_description(word: &str) -> bool {
    let is_ending = |ending: &&str| word.len() > ending.len() + 2 && word.ends_with(*ending);
    word.chars().all(|c| c.is_ascii_alphabetic()) && DESCRIPTIONS.iter().chain(&["ed", "ing"]).any(is_ending)
}

/// Returns true if a word is an error code, a protocol, a service, a duration, or a version.
pub(super) fn is_technical(word: &str) -> bool {
    const TERMS: [&str; 40] = [
        // Errors of OAuth 2 (RFC 6749).
        "invalid_client",
        "invalid_grant",
        "invalid_request",
        "invalid_scope",
        "unauthorized_client",
        "access_denied",
        "x509",
        "oauth2",
        "http2",
        "h2",
        "ec2",
        "s3",
        "k8s",
        "sha256",
        "sha1",
        "sha512",
        "md5",
        "ipv4",
        "ipv6",
        "utf8",
        "utf-8",
        "base64",
        "ed25519",
        "i/o",
        "http/1.1",
        "http/2",
        "http/2.0",
        "rs256",
        "es256",
        "hs256",
        "aes256",
        "aes-256-gcm",
        "oidc2",
        "v1",
        "v2",
        "v1beta1",
        "route53",
        "pkcs8",
        "pkcs1",
        "pkcs12",
    ];
    let lower = word.trim_end_matches([':', ',', '.', ';', ')']).to_ascii_lowercase();
    let digits = lower.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_duration =
        digits.len() < lower.len() && matches!(digits, "ms" | "s" | "m" | "h" | "d" | "us" | "µs" | "ns" | "%");
    let is_compound = lower.len() < 12
        && !digits.is_empty()
        && lower.starts_with(|c: char| c.is_ascii_digit())
        && lower.chars().all(|c| c.is_ascii_digit() || "hms.".contains(c));
    TERMS.contains(&lower.as_str()) || is_duration || is_compound
}

/// Returns true if most words occur in error messages, and the others are plain words: `must be set before the first login`.
pub(super) fn is_sentence(value: &str) -> bool {
    let (mut words, mut prose) = (0, 0);
    for word in value.split_whitespace() {
        let word = word.trim_matches(|c: char| matches!(c, '.' | ',' | ':' | ';' | '(' | ')' | '"' | '\''));
        words += 1;
        if is_prose(word) {
            prose += 1;
        } else if !word.chars().all(|c| c.is_lowercase() || c == '-') && !word.bytes().all(|byte| byte.is_ascii_digit())
        {
            return false;
        }
    }
    words > 1 && prose * 2 > words
}
