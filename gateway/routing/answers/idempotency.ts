/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a request that creates something
 * is carried out once, however often it is sent. The first one writes a record that it is running,
 * then its answer; repeats get that answer. Records are in KV and written by compare-and-set, so
 * repeats may arrive at any gateway.
 */
import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { decode, encode } from '../../../proto/codec.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { newId } from '../../../proto/ids.ts'
import { limits } from '../../../proto/limits.ts'
import { sleep, type Clock } from '../../../runtime/lib/clock.ts'
import { retryConflicts } from '../../../runtime/store/retry-conflicts.ts'
import { StoreConflict, StoreFull, type Bucket } from '../../../runtime/store/store.ts'
import type { HttpReply, HttpRequest } from '../../server/http.ts'
import type { AnswerRoom } from './answer-room.ts'
import type { KeptRecord } from './kept-record.ts'
import { storedAnswerOf, isStorable, storedReplyOf, type StoredAnswer } from './stored-answer.ts'
import { bodyLimitOf, type Attempt, type Route } from '../route.ts'
import { routingLimits } from '../limits.ts'

/** Scopes idempotency keys to a caller: the same text from another caller is a different key. */
export interface KeyOwner {
  readonly keyId: string
  readonly tenant?: string
}

export interface IdempotencyDeps {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly log: Logger
  readonly room: Pick<AnswerRoom, 'isFull'>
}

/** For an answer that found no room: a repeat is refused, and its work is not done twice. */
const unstoredAnswer: StoredAnswer = { kind: 'large' }
const padding = '-'.repeat(64)

/** A record that this request has set to `running`. */
interface Claim {
  readonly key: string
  readonly tenant: string
  readonly fingerprint: string
  readonly attempt: Attempt
  revision: number
}

export class Idempotency {
  readonly #deps: IdempotencyDeps

  constructor(deps: IdempotencyDeps) {
    this.#deps = deps
  }

  /**
   * Runs `work`, or returns the stored answer of an earlier run. `work` must not reject. It gets a
   * request that never aborts, because the client may come back for the answer. Throws
   * `bad_request`, `idempotency_in_progress`, `idempotency_key_reused`, `secret_already_shown`;
   * `storage_full` if the tenant has no room for another record.
   */
  async once(
    route: Route,
    request: HttpRequest,
    owner: KeyOwner,
    work: (lasting: HttpRequest, attempt: Attempt) => Promise<HttpReply>,
  ): Promise<HttpReply> {
    const text = keyText(request.headers.get('idempotency-key') ?? '')
    const place = [route.auth, owner.tenant ?? '', owner.keyId, route.method, route.path, text]
    const key = createHash('sha256').update(JSON.stringify(place)).digest('hex')
    const tenant = owner.tenant ?? ''
    const found = await this.#claim(key, tenant, await fingerprintOf(route, request))
    if ('answer' in found) return storedReplyOf(found.answer)
    const over = new AbortController()
    const renewed = this.#renew(found, over.signal)
    const reply = await work({ ...request, gone: new AbortController().signal }, found.attempt)
    over.abort()
    await renewed
    // After an interrupted upload the client may send the request again.
    const isLost = reply.status >= 400 && request.gone.aborted
    const answer = isLost || !isStorable(reply) ? undefined : storedAnswerOf(route, reply)
    await this.#settle(found, answer, route)
    return reply
  }

  async #claim(
    key: string,
    tenant: string,
    fingerprint: string,
  ): Promise<Claim | { readonly answer: StoredAnswer }> {
    const { bucket, clock, room } = this.#deps
    const isFull = room.isFull(tenant)
    const write = async (tries: number) => {
      // The first try skips the read, because most keys are new.
      const entry = tries === 1 && !isFull ? undefined : await bucket.get(key)
      const kept = entry && decode<KeptRecord>(entry.value)
      if (kept && !this.#isOpen(kept)) return { answer: keptFor(kept, fingerprint) }
      if (isFull) throw noRoomError()
      const attempt = attemptAfter(kept, fingerprint)
      const aliveAtMs = clock.now()
      const value = encode(runningRecord({ tenant, fingerprint, attempt }, aliveAtMs))
      const revision = entry
        ? await bucket.update(key, value, entry.revision)
        : await this.#create(key, value)
      return { key, tenant, fingerprint, attempt, revision }
    }
    return retryConflicts(routingLimits.idempotencyTries, write, inProgressError)
  }

  /** A full bucket refuses a repeat before it tells a conflict, so the repeat is found by reading. */
  async #create(key: string, value: Uint8Array): Promise<number> {
    const { bucket } = this.#deps
    try {
      return await bucket.create(key, value)
    } catch (error) {
      if (!(error instanceof StoreFull) || !(await bucket.get(key))) throw error
      throw new StoreConflict(key, error)
    }
  }

  /** True if the record is free or expired, or its gateway has stopped renewing it. */
  #isOpen(kept: KeptRecord): boolean {
    const now = this.#deps.clock.now()
    if (kept.state === 'free') return true
    if (kept.state === 'done') return kept.doneAtMs < now - limits.idempotencyKeptMs
    return kept.aliveAtMs < now - routingLimits.idempotencyStaleMs
  }

  /** Renews the record during long work, so that a record without renewal means a dead gateway. */
  async #renew(claim: Claim, over: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    for (;;) {
      await sleep(clock, routingLimits.idempotencyRenewMs, over)
      if (over.aborted) return
      await this.#write(claim, runningRecord(claim, clock.now()))
    }
  }

  async #settle(claim: Claim, answer: StoredAnswer | undefined, route: Route): Promise<void> {
    const { tenant, fingerprint, attempt } = claim
    const doneAtMs = this.#deps.clock.now()
    const record: KeptRecord =
      answer === undefined
        ? { state: 'free', tenant, fingerprint, id: attempt.id }
        : { state: 'done', tenant, fingerprint, doneAtMs, answer }
    const error = await this.#write(claim, record, route.path)
    if (answer !== undefined && error instanceof StoreFull) {
      await this.#write(claim, { ...record, answer: unstoredAnswer } as KeptRecord, route.path)
    }
  }

  /**
   * A failed write is only logged and returned: the work is done, and its caller must get the
   * answer.
   */
  async #write(claim: Claim, record: KeptRecord, route?: string): Promise<unknown> {
    const { bucket, log } = this.#deps
    try {
      claim.revision = await bucket.update(claim.key, encode(record), claim.revision)
      return undefined
    } catch (err) {
      log.warn({ err, route, state: record.state }, 'record of an Idempotency-Key not written')
      return err
    }
  }
}

function runningRecord(
  { tenant, fingerprint, attempt }: Pick<Claim, 'tenant' | 'fingerprint' | 'attempt'>,
  aliveAtMs: number,
): KeptRecord {
  return { state: 'running', tenant, fingerprint, id: attempt.id, aliveAtMs, padding }
}

/**
 * A repeat of the same request keeps its id, since an earlier attempt may have created the object.
 */
function attemptAfter(kept: KeptRecord | undefined, fingerprint: string): Attempt {
  const isSame = kept !== undefined && kept.state !== 'done' && kept.fingerprint === fingerprint
  if (!isSame) return { id: newId('idm'), after: 'nothing' }
  return { id: kept.id, after: kept.state === 'free' ? 'failure' : 'death' }
}

function keptFor(kept: KeptRecord, fingerprint: string): StoredAnswer {
  if (kept.state === 'free' || kept.fingerprint !== fingerprint) {
    throw new ServiceError(
      'idempotency_key_reused',
      'This Idempotency-Key was already used with a different request; send a new key.',
    )
  }
  if (kept.state === 'running') throw inProgressError()
  return kept.answer
}

function noRoomError(): ServiceError {
  return new ServiceError(
    'storage_full',
    'The answers to your requests with an Idempotency-Key fill their room: send this one without ' +
      'the key, or later, as answers are kept for a day.',
  )
}

function inProgressError(): ServiceError {
  return new ServiceError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still in progress; send it again later to ' +
      'get its answer.',
    { retry_after_seconds: routingLimits.retryAfterSeconds },
  )
}

/** Accepts the bare text that most clients send, or the quoted string of the draft. */
function keyText(given: string): string {
  const [, quoted] = /^"([\x21\x23-\x5b\x5d-\x7e]+)"$/.exec(given) ?? []
  const text = quoted ?? given
  const isKey = /^[\x21\x23-\x7e][\x21-\x7e]*$/.test(text)
  if (isKey && text.length <= routingLimits.idempotencyKeyChars) return text
  throw new ServiceError(
    'bad_request',
    `Idempotency-Key must have 1 to ${routingLimits.idempotencyKeyChars} visible ASCII characters.`,
    { header: 'idempotency-key' },
  )
}

/**
 * A hash of what must be equal in a repeat. A form's body is a stream and can be read only once,
 * and its boundary differs each time, so only its length counts.
 */
async function fingerprintOf(route: Route, request: HttpRequest): Promise<string> {
  const { method, path, query, headers } = request
  const length = route.form ? (headers.get('content-length') ?? '') : ''
  const head = [method, path, [...query], headers.get('if-match') ?? '', length]
  const hash = createHash('sha256').update(JSON.stringify(head))
  if (!route.form) hash.update(await request.body(bodyLimitOf(route)))
  return hash.digest('base64url')
}
