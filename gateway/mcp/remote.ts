/** Calls the service over HTTP, from a process that an MCP client started. */
import { ServiceError } from '../../proto/errors.ts'
import { withReconnect } from './reconnect.ts'
import { isFile, type ServiceRequester } from './service.ts'
import { mcpLimits } from './limits.ts'

/** As read from the environment: the key may be missing, and the address may be invalid. */
export interface RemoteService {
  readonly base: string
  readonly key: string | undefined
  /** The development key of a service on this machine, used if no other key is given. */
  readonly clientKey: () => string
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** An error that names the setting to correct; undefined if the settings are usable. */
export function remoteProblem({ base, key }: RemoteService): ServiceError | undefined {
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol)) {
    const text = `SVC_BASE=${base} is not a valid URL: set it as in SVC_BASE=http://127.0.0.1:8080.`
    return new ServiceError('bad_request', text)
  }
  if (key !== undefined || loopback.test(new URL(base).hostname)) return undefined
  const text =
    `SVC_API_KEY is not set: ${base} requires a key; create one there with npm run troupe -- ` +
    'keys create.'
  return new ServiceError('unauthorized', text)
}

/** Without a key, a service on this machine is called with the development key. */
export function remoteCall(remote: RemoteService): ServiceRequester {
  const wrong = remoteProblem(remote)
  const base = remote.base.replace(/\/+$/, '')
  const key = remote.key ?? remote.clientKey()
  return async ({ method, path, body, signal, isRepeatable }) => {
    if (wrong) throw wrong
    const bounded = AbortSignal.timeout(mcpLimits.mcpCallMs)
    const ended = signal ? AbortSignal.any([signal, bounded]) : bounded
    const send = async () => {
      const response = await fetch(base + path, {
        method,
        signal: ended,
        headers: {
          'service-api-key': key,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (response.status === 401) throw await unknownKey(response)
      return { status: response.status, body: await contentOf(response) }
    }
    try {
      return await withReconnect({ base, isRepeatable, signal: ended }, send)
    } catch (error) {
      throw bounded.aborted ? tooLateError(error) : error
    }
  }
}

function tooLateError(cause: unknown): ServiceError {
  const text = `The service did not answer within ${mcpLimits.mcpCallMs / 1000} s.`
  return new ServiceError('timeout', text, {}, cause)
}

async function unknownKey(response: Response): Promise<ServiceError> {
  const { error } = ((await jsonOf(response)) ?? {}) as { error?: { message?: string } }
  const text = `${error?.message ?? 'The key was refused.'} Set SVC_API_KEY to a key of the service.`
  return new ServiceError('unauthorized', text)
}

const contentOf = async (response: Response): Promise<unknown> =>
  isFile(response.headers.get('content-type'))
    ? new Uint8Array(await response.arrayBuffer())
    : jsonOf(response)

/** Undefined if the answer is not JSON, for example HTML of a proxy. */
async function jsonOf(response: Response): Promise<unknown> {
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  return isJson ? response.json() : undefined
}
