import type { Words } from '../../values/language.ts'

/** The cause for which a connection was not made, or ended without an answer. */
export type ConnectionFailure =
  | 'certificate_unknown_authority'
  | 'certificate_incomplete'
  | 'certificate_self_signed'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  | 'certificate_other_name'
  | 'certificate_wanted'
  | 'no_tls'
  | 'tls'
  | 'dns'
  | 'connection_refused'
  | 'connection_closed'
  | 'no_route'
  | 'timeout'
  | 'proxy'
  | 'connection'

/** Causes by the codes of Node, OpenSSL and the HTTP client. */
const causes: Readonly<Record<string, ConnectionFailure>> = {
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_unknown_authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_unknown_authority',
  CERT_UNTRUSTED: 'certificate_unknown_authority',
  // The server sent its own certificate only.
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_incomplete',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_self_signed',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_other_name',
  HOSTNAME_MISMATCH: 'certificate_other_name',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'certificate_wanted',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no_tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'no_tls',
  ERR_SSL_HTTP_REQUEST: 'no_tls',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_closed',
  EPIPE: 'connection_closed',
  UND_ERR_SOCKET: 'connection_closed',
  ENETUNREACH: 'no_route',
  EHOSTUNREACH: 'no_route',
  ENETDOWN: 'no_route',
  EADDRNOTAVAIL: 'no_route',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
}

const TLS =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|CA_|EE_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_|PATH_LENGTH_|ERROR_IN_|EPROTO$)/

/** The cause behind the code of an error. */
export function failureOfCode(code: string): ConnectionFailure {
  if (code.startsWith('PROXY_')) return 'proxy'
  return causes[code] ?? (TLS.test(code) ? 'tls' : 'connection')
}

/** Of several addresses of a name, each of which failed, the code that tells most: a refusal proves that the machine was reached. */
const telling = ['ECONNREFUSED', 'ETIMEDOUT']

/** The code of an error of a connection; of a name with several addresses, that of the most telling one. Empty if there is none. */
export function codeOfError(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const all = error instanceof AggregateError ? error.errors.map(codeOfError) : []
  const { code } = error as { code?: unknown }
  return telling.find((one) => all.includes(one)) ?? (typeof code === 'string' ? code : '')
}

/** A sentence for each cause, for those who run the server. */
export const failureSentences: Readonly<Record<ConnectionFailure, Words>> = {
  certificate_unknown_authority: [
    'Le certificat du serveur vient d’une autorité inconnue ici : il en faut un d’une autorité publique.',
    'The server’s certificate comes from an authority that is unknown here: it needs one of a public authority.',
  ],
  certificate_incomplete: [
    'Le serveur n’envoie que son propre certificat, et son autorité n’est pas connue ici : le certificat intermédiaire manque sans doute, le serveur doit envoyer la chaîne entière.',
    'The server sends only its own certificate, and its authority is unknown here: the intermediate certificate is probably missing, so let the server send the whole chain.',
  ],
  certificate_self_signed: [
    'Le serveur a signé son certificat lui-même : il en faut un d’une autorité.',
    'The server signed its certificate itself: it needs one of an authority.',
  ],
  certificate_expired: [
    'Le certificat du serveur a expiré : il faut le renouveler et recharger le serveur.',
    'The server’s certificate has expired: renew it, and reload the server.',
  ],
  certificate_not_yet_valid: [
    'Le certificat du serveur n’est pas encore valable : comparez sa date et les horloges.',
    'The server’s certificate is not valid yet: compare its date and the clocks.',
  ],
  certificate_other_name: [
    'Le certificat du serveur est celui d’un autre nom : vérifiez l’adresse, ou demandez un certificat pour ce nom.',
    'The server’s certificate is for another name: check the address, or get a certificate for this name.',
  ],
  certificate_wanted: [
    'Le serveur demande un certificat à ses clients, et le service n’en a pas.',
    'The server asks its clients for a certificate, and the service has none.',
  ],
  no_tls: [
    'Le serveur répond sans TLS à cette adresse https:// : vérifiez le port, ou activez TLS.',
    'The server answers without TLS at this https:// address: check the port, or switch TLS on.',
  ],
  tls: [
    'La connexion TLS a échoué : vérifiez le certificat du serveur et ses versions de TLS.',
    'The TLS connection failed: check the server’s certificate and its versions of TLS.',
  ],
  dns: ['Ce nom n’a pas d’adresse : vérifiez-le, et le DNS.', 'This name has no address: check it, and the DNS.'],
  connection_refused: [
    'La machine refuse la connexion : rien n’écoute sur ce port, ou un pare-feu la refuse.',
    'The machine refuses the connection: nothing listens on this port, or a firewall refuses it.',
  ],
  connection_closed: [
    'Le serveur a fermé la connexion sans réponse complète.',
    'The server closed the connection without a whole answer.',
  ],
  no_route: ['Aucune route ne mène à cette adresse d’ici.', 'No route leads to this address from here.'],
  timeout: [
    'Personne n’a répondu à temps : vérifiez l’adresse et le pare-feu.',
    'Nobody answered in time: check the address and the firewall.',
  ],
  proxy: [
    'Le mandataire par lequel le service sort n’a pas ouvert le chemin.',
    'The proxy through which the service leaves did not open the way.',
  ],
  connection: ['La connexion a échoué.', 'The connection failed.'],
}
