/**
 * Standard Webhooks signatures (standardwebhooks.com): `v1` is HMAC-SHA256 with a shared secret,
 * `v1a` Ed25519 with a key pair, over `<id>.<timestamp>.<body>`. Secrets are stored sealed.
 */
import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto'
import type {
  EndpointSecret,
  EndpointView,
  ResealedSecret,
  SignatureKind,
} from '../../../proto/access/webhooks/endpoint.ts'
import { newId } from '../../../proto/ids.ts'
import { webhookLimits as limits } from '../../../proto/access/webhooks/webhook-limits.ts'
import { sealedWith, type Sealer } from '../../accounts/seal/seal.ts'

type Owner = Pick<EndpointView, 'id' | 'tenant'>

const placeOf = ({ tenant, id }: Owner, secretId: string) => ['webhook', tenant, id, secretId]

export interface NewEndpointSecret {
  readonly secret: EndpointSecret
  /** `whsec_…`, shown only once; null for a key pair, whose public key is not secret. */
  readonly text: string | null
}

/** SPKI puts 12 bytes before a raw key of 32 bytes. */
const spkiHeaderBytes = 12

export function newEndpointSecret(
  owner: Owner,
  kind: SignatureKind,
  { sealer, nowMs }: { readonly sealer: Pick<Sealer, 'seal'>; readonly nowMs: number },
): NewEndpointSecret {
  const id = newId('whs', nowMs)
  const common = { id, kind, createdAtMs: nowMs }
  const seal = (text: string) => sealer.seal(text, placeOf(owner, id))
  if (kind === 'hmac') {
    const text = randomBytes(limits.secretBytes).toString('base64')
    const hint = `whsec_…${text.slice(-5, -1)}`
    return { secret: { ...common, sealed: seal(text), hint }, text: `whsec_${text}` }
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(spkiHeaderBytes)
  const shown = `whpk_${raw.toString('base64')}`
  const sealed = seal(privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'))
  return {
    secret: { ...common, sealed, hint: `${shown.slice(0, 9)}…`, publicKey: shown },
    text: null,
  }
}

/** The endpoint's secrets that are sealed with another key, resealed with the first one. */
export function resealEndpointSecrets(
  endpoint: Owner & Pick<EndpointView, 'secrets'>,
  sealer: Sealer,
): readonly ResealedSecret[] {
  const [current] = sealer.keyIds()
  return endpoint.secrets
    .filter(({ sealed }) => sealedWith(sealed) !== current)
    .map(({ id, sealed: was }) => {
      const place = placeOf(endpoint, id)
      return { id, was, sealed: sealer.seal(sealer.open(was, place), place) }
    })
}

export interface SignedContent {
  readonly id: string
  readonly timestampSeconds: number
  readonly body: string
}

type OpenSecret = { readonly hmac: Buffer } | { readonly key: KeyObject }

export class WebhookSigner {
  readonly #sealer: Pick<Sealer, 'open'>
  /** Cached by the stored secret object, which never changes. */
  readonly #open = new WeakMap<EndpointSecret, OpenSecret>()

  constructor(sealer: Pick<Sealer, 'open'>) {
    this.#sealer = sealer
  }

  /** `webhook-signature`: one signature per live secret. Throws if a secret cannot be opened. */
  signatures(
    endpoint: Owner & Pick<EndpointView, 'secrets'>,
    { id, timestampSeconds, body }: SignedContent,
    nowMs: number,
  ): string {
    const content = `${id}.${timestampSeconds}.${body}`
    return endpoint.secrets
      .filter(({ expiresAtMs = Infinity }) => nowMs < expiresAtMs)
      .slice(0, limits.secretsLive)
      .map((secret) => signatureOf(this.#opened(endpoint, secret), content))
      .join(' ')
  }

  #opened(owner: Owner, secret: EndpointSecret): OpenSecret {
    const known = this.#open.get(secret)
    if (known) return known
    const text = this.#sealer.open(secret.sealed, placeOf(owner, secret.id))
    const bytes = Buffer.from(text, 'base64')
    const opened =
      secret.kind === 'hmac'
        ? { hmac: bytes }
        : { key: createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' }) }
    this.#open.set(secret, opened)
    return opened
  }
}

function signatureOf(secret: OpenSecret, content: string): string {
  if ('hmac' in secret) {
    return `v1,${createHmac('sha256', secret.hmac).update(content).digest('base64')}`
  }
  return `v1a,${sign(null, Buffer.from(content), secret.key).toString('base64')}`
}
