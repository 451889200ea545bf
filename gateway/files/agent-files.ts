/**
 * Accesses a session's files at its node agent: through the agent's data port, on this or another
 * machine, with a ticket for each request.
 */
import { Readable } from 'node:stream'
import { Agent, request, type Dispatcher } from 'undici'
import { errorTypes, fromWireError, ServiceError, type ErrorType } from '../../proto/errors.ts'
import { fileNameHeader } from '../../proto/browser-host/files.ts'
import { limits } from '../../proto/limits.ts'
import { dataUrl } from '../../runtime/browser-host/channel/data-url.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { SocketGrant } from '../routing/auth/auth.ts'
import type { AttachedSession, Attachments } from '../sessions/sockets/attachments.ts'
import type { StreamedBody } from '../server/http.ts'
import type { FileContent } from './multipart.ts'
import { fileLimits } from './limits.ts'

export interface AgentFilesDeps {
  readonly attachments: Pick<Attachments, 'during' | 'join' | 'leave' | 'renew' | 'successor'>
  readonly clock: Clock
}

interface Sent {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: string | Readable
  readonly headers?: Readonly<Record<string, string>>
}

type Answer = Dispatcher.ResponseData

/** The agent refused the ticket, or does not listen at the expected address. */
class AgentUnavailable extends Error {}
class AgentUnreachable extends AgentUnavailable {}

export class AgentFiles {
  readonly #deps: AgentFilesDeps
  readonly #dispatcher = new Agent({
    connectTimeout: limits.channelDialMs,
    headersTimeout: fileLimits.fileSilenceMs,
    bodyTimeout: fileLimits.fileSilenceMs,
  })

  constructor(deps: AgentFilesDeps) {
    this.#deps = deps
  }

  /** Aborts requests in progress; their clients are disconnected by the shutdown anyway. */
  close(): Promise<void> {
    return this.#dispatcher.destroy()
  }

  get<T>(grant: SocketGrant, path: string): Promise<T> {
    return this.#json<T>(grant, { method: 'GET', path })
  }

  async remove(grant: SocketGrant, path: string): Promise<void> {
    await this.#json(grant, { method: 'DELETE', path })
  }

  /**
   * Attaches the session while `use` runs. An upload cannot be sent twice, so the connection is
   * tested before the first byte of it is read.
   */
  async storing<R>(
    grant: SocketGrant,
    path: string,
    use: (store: <T>(name: string, content: FileContent) => Promise<T>) => Promise<R>,
  ): Promise<R> {
    return this.#deps.attachments.during(grant, async (attached) => {
      const [reached, first] = await this.#reach(grant, attached, { method: 'GET', path })
      await first.body.dump()
      return use(async <T>(name: string, content: FileContent) => {
        const headers = { [fileNameHeader]: encodeURIComponent(Buffer.from(name).toString()) }
        const body = Readable.from(content, { objectMode: false })
        const answer = await this.#ask(grant, reached, { method: 'POST', path, headers, body })
        return (await answer.body.json()) as T
      })
    })
  }

  /** Streams a file; the session stays attached until its last byte has been read. */
  async read(grant: SocketGrant, path: string): Promise<StreamedBody & { readonly name: string }> {
    const { attachments } = this.#deps
    const attached = await attachments.join(grant)
    const leave = () => attachments.leave(grant.sessionId)
    try {
      const [, { headers, body }] = await this.#reach(grant, attached, { method: 'GET', path })
      body.once('close', leave)
      const name = decodeURIComponent(String(headers[fileNameHeader]))
      return { name, bytes: Number(headers['content-length']), stream: body }
    } catch (error) {
      leave()
      throw error
    }
  }

  #json<T>(grant: SocketGrant, sent: Sent): Promise<T> {
    return this.#deps.attachments.during(grant, async (attached) => {
      const [, { body }] = await this.#reach(grant, attached, sent)
      return (await body.json()) as T
    })
  }

  /**
   * If the agent cannot be reached, asks the actor again, which also knows whether the session has
   * ended or has another agent, and retries.
   */
  async #reach(
    grant: SocketGrant,
    attached: AttachedSession,
    sent: Sent,
  ): Promise<[AttachedSession, Answer]> {
    try {
      return [attached, await this.#send(grant, attached, sent)]
    } catch (error) {
      if (!(error instanceof AgentUnavailable)) throw error
    }
    const { attachments } = this.#deps
    const renewed = await attachments.renew(grant)
    try {
      return [renewed, await this.#ask(grant, renewed, sent)]
    } catch (error) {
      if (!isUnreachable(error)) throw error
    }
    const next = await attachments.successor(grant, renewed)
    return [next, await this.#ask(grant, next, sent)]
  }

  async #ask(grant: SocketGrant, attached: AttachedSession, sent: Sent): Promise<Answer> {
    return this.#send(grant, attached, sent).catch((error: unknown) => {
      if (!(error instanceof AgentUnavailable)) throw error
      const message = 'The host of this session does not answer; check GET /v1/sessions/{id}.'
      throw new ServiceError('unavailable', message, {}, error)
    })
  }

  async #send({ sessionId }: SocketGrant, attached: AttachedSession, sent: Sent): Promise<Answer> {
    const { clock } = this.#deps
    const { path, ...rest } = sent
    const url = dataUrl({ ...attached, sessionId, clock }, 'files', path)
    let answer: Answer
    try {
      answer = await request(url, { ...rest, dispatcher: this.#dispatcher })
    } catch (cause) {
      throw new AgentUnreachable('the agent cannot be reached', { cause })
    }
    if (answer.statusCode === 200) return answer
    throw await refusal(answer)
  }
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof ServiceError && error.cause instanceof AgentUnreachable

interface ErrorBody {
  readonly error: {
    readonly code: number
    readonly type: ErrorType
    readonly message: string
    readonly request_id: string
  }
}

async function refusal({ statusCode, body }: Answer): Promise<Error> {
  if (statusCode === 401) {
    await body.dump()
    return new AgentUnavailable('the agent would not have the ticket')
  }
  const {
    code: _,
    request_id: _id,
    type,
    message,
    ...details
  } = ((await body.json()) as ErrorBody).error
  // An agent of another version may send a type that is not known here.
  const known = errorTypes.includes(type) ? type : 'internal'
  return fromWireError({ type: known, message, details })
}
