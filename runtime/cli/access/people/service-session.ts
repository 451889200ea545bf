/** Requests in the name of the person who is signed in. */
import { loadConfig } from '../../../config/config.ts'
import { CommandFailed } from '../../command.ts'
import { secretReader } from '../../terminal/secret-input.ts'
import { configuredServiceBase } from '../../service-base.ts'
import {
  dataOf,
  callService,
  downloadFromService,
  RequestRefused,
  type ServiceCall,
} from '../service/service.ts'
import { personAnswer } from '../service/answers.ts'
import { readSessionFile, type CliSession } from './session-file.ts'

export class ServiceSession {
  readonly #session: CliSession
  readonly #ask = secretReader()

  constructor(session: CliSession) {
    this.#session = session
  }

  /** Throws if not signed in, or signed in to another service than SVC_BASE names. */
  static open(): ServiceSession {
    const session = readSessionFile(loadConfig().DATA_DIR)
    if (!session)
      throw new CommandFailed('you are not signed in: npm run troupe -- access sign-in EMAIL')
    const base = configuredServiceBase()
    if (base === undefined || base === session.url) return new ServiceSession(session)
    throw new CommandFailed(
      `you are signed in to ${session.url}, and SVC_BASE names ${base}: sign in there`,
    )
  }

  get url(): string {
    return this.#session.url
  }

  get expiresAt(): string {
    return this.#session.expires_at
  }

  /** Asks for the password and repeats the request if the service demands it. */
  async call<T>(order: ServiceCall<T>): Promise<T> {
    try {
      return await this.#call(order)
    } catch (error) {
      if (!(error instanceof RequestRefused) || error.type !== 'step_up_required') throw error
      await this.#stepUp()
      return this.#call(order)
    }
  }

  /** Downloads a file of this media type. */
  download(path: string, accept: string): Promise<Uint8Array> {
    return downloadFromService(this.#session.url, this.#session.token, { path, accept })
  }

  async #call<T>(order: ServiceCall<T>): Promise<T> {
    const { url, token } = this.#session
    try {
      return await callService(url, token, order)
    } catch (error) {
      if (!(error instanceof RequestRefused) || error.type !== 'invalid_token') throw error
      throw new CommandFailed(
        'your sign-in has expired: npm run troupe -- access sign-in EMAIL',
        error,
      )
    }
  }

  async #stepUp(): Promise<void> {
    const answer = dataOf(personAnswer)
    const me = await this.#call({ method: 'GET', path: '/v1/me', answer })
    const password = await this.#ask(`Password of ${me.email}, once more: `)
    const code = me.has_totp ? await this.#ask('Code of the authenticator app: ') : ''
    if (password === '') throw new CommandFailed('this needs your password once more')
    const body = { password, ...(code !== '' && { code }) }
    await this.#call({ method: 'POST', path: '/v1/sign-in/step-up', body, answer })
  }
}
