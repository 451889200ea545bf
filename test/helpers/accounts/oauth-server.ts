/**
 * An authorization server on loopback that enforces the rules: PKCE with S256, codes and refresh
 * tokens valid once. A refresh token that is used twice revokes every token of its login. It also
 * plays OpenRouter's exchange of a code for a key.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { closeServer, listenOnLoopback } from '../lib/loopback.ts'

export interface OAuthServerOptions {
  /** Required at the token endpoint with HTTP basic; empty: the client has none. */
  readonly clientSecret?: string
  readonly tokenSeconds?: number
  /** The base URL of the models that its tokens are for. */
  readonly baseUrl?: string
}

type Answer = Readonly<Record<string, unknown>>

interface Login {
  refresh: string
  revoked: boolean
}

export class OAuthServer {
  /** How a person answers the question for consent. */
  consent: 'allow' | 'deny' = 'allow'
  /** The next answers to a device's polls, before it is let in. */
  readonly deviceAnswers: string[] = []
  /** The next answers of the token endpoint, in place of its own. */
  readonly faults: ((response: ServerResponse) => void)[] = []
  /** The issuer that answers claim to be from. */
  claimedIssuer: string | undefined
  tokenSeconds: number
  /** The interval that a device is told to wait between two polls. */
  deviceSeconds = 5
  /** Every secret it has issued: none may appear in logs, output or files. */
  readonly secrets: string[] = []
  readonly refreshes: string[] = []
  readonly requests: { readonly path: string; readonly body: string }[] = []
  readonly #clientSecret: string
  readonly #baseUrl: string | undefined
  readonly #codes = new Map<string, { challenge: string; redirectUri: string }>()
  readonly #logins = new Map<string, Login>()
  readonly #used = new Map<string, Login>()
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #port = 0
  #deviceCode = ''

  private constructor({ clientSecret = '', tokenSeconds = 3_600, baseUrl }: OAuthServerOptions) {
    this.#clientSecret = clientSecret
    this.#baseUrl = baseUrl
    this.tokenSeconds = tokenSeconds
  }

  static async start(options: OAuthServerOptions = {}): Promise<OAuthServer> {
    const server = new OAuthServer(options)
    server.#port = await listenOnLoopback(server.#server)
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** OAUTH_PROVIDERS with this server as a provider. */
  get settings(): Answer {
    const secret = this.#clientSecret === '' ? {} : { client_secret: this.#clientSecret }
    const models = this.#baseUrl === undefined ? {} : { base_url: this.#baseUrl }
    const client = { client_id: 'troupe', scopes: ['models'], ...secret }
    return {
      openai: { issuer: this.url, ...client, ...models },
      openrouter: {
        grant: 'key',
        authorization_endpoint: `${this.url}/auth`,
        token_endpoint: `${this.url}/auth/keys`,
      },
    }
  }

  /** Revokes every token. */
  revokeAll(): void {
    for (const login of this.#logins.values()) login.revoked = true
  }

  close(): Promise<void> {
    return closeServer(this.#server)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url)
    const body = await text(request)
    this.requests.push({ path: url.pathname, body })
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return send(response, 404, {})
      case '/.well-known/oauth-authorization-server':
        return send(response, 200, this.#metadata())
      case '/authorize':
        return this.#authorize(url.searchParams, response)
      case '/auth':
        return this.#openRouter(url.searchParams, response)
      case '/auth/keys':
        return this.#key(JSON.parse(body) as Record<string, string>, response)
      case '/device':
        return send(response, 200, this.#device())
      case '/token':
        return this.#token(request, new URLSearchParams(body), response)
      default:
        return send(response, 404, {})
    }
  }

  #metadata(): Answer {
    return {
      issuer: this.claimedIssuer ?? this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      device_authorization_endpoint: `${this.url}/device`,
      authorization_response_iss_parameter_supported: true,
    }
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const redirectUri = query.get('redirect_uri') ?? ''
    const back = new URL(redirectUri)
    back.searchParams.set('state', query.get('state') ?? '')
    back.searchParams.set('iss', this.claimedIssuer ?? this.url)
    if (query.get('code_challenge_method') !== 'S256' || query.get('client_id') !== 'troupe') {
      return send(response, 400, { error: 'invalid_request' })
    }
    if (this.consent === 'deny') back.searchParams.set('error', 'access_denied')
    else {
      const code = this.#secret('code')
      this.#codes.set(code, { challenge: query.get('code_challenge') ?? '', redirectUri })
      back.searchParams.set('code', code)
    }
    response.writeHead(302, { location: back.href }).end()
  }

  #openRouter(query: URLSearchParams, response: ServerResponse): void {
    const redirectUri = query.get('callback_url') ?? ''
    const back = new URL(redirectUri)
    const code = this.#secret('code')
    this.#codes.set(code, { challenge: query.get('code_challenge') ?? '', redirectUri })
    back.searchParams.set('code', code)
    response.writeHead(302, { location: back.href }).end()
  }

  #key({ code = '', code_verifier = '' }: Record<string, string>, response: ServerResponse): void {
    if (!this.#redeem(code, code_verifier)) return send(response, 403, { error: 'Invalid code' })
    send(response, 200, { key: this.#secret('sk-or-v1'), user_id: 'user_1' })
  }

  #device(): Answer {
    this.#deviceCode = this.#secret('device')
    return {
      device_code: this.#deviceCode,
      user_code: 'WDJB-MJHT',
      verification_uri: `${this.url}/activate`,
      expires_in: 600,
      interval: this.deviceSeconds,
    }
  }

  #token(request: IncomingMessage, body: URLSearchParams, response: ServerResponse): void {
    const fault = this.faults.shift()
    if (fault) return fault(response)
    if (!this.#isClient(request, body)) {
      response.setHeader('www-authenticate', 'Basic realm="token"')
      return send(response, 401, { error: 'invalid_client' })
    }
    switch (body.get('grant_type')) {
      case 'authorization_code': {
        const isGood = this.#redeem(
          body.get('code') ?? '',
          body.get('code_verifier') ?? '',
          body.get('redirect_uri') ?? '',
        )
        return isGood ? this.#grant(response) : send(response, 400, { error: 'invalid_grant' })
      }
      case 'urn:ietf:params:oauth:grant-type:device_code':
        return this.#askedByDevice(body, response)
      case 'refresh_token':
        return this.#refresh(body.get('refresh_token') ?? '', response)
      default:
        return send(response, 400, { error: 'unsupported_grant_type' })
    }
  }

  #askedByDevice(body: URLSearchParams, response: ServerResponse): void {
    if (body.get('device_code') !== this.#deviceCode) {
      return send(response, 400, { error: 'invalid_grant' })
    }
    const answer = this.deviceAnswers.shift()
    if (answer !== undefined) return send(response, 400, { error: answer })
    this.#deviceCode = ''
    this.#grant(response)
  }

  #refresh(token: string, response: ServerResponse): void {
    this.refreshes.push(token)
    const stolen = this.#used.get(token)
    if (stolen) stolen.revoked = true
    const login = this.#logins.get(token)
    if (!login || login.revoked) return send(response, 400, { error: 'invalid_grant' })
    this.#logins.delete(token)
    this.#used.set(token, login)
    this.#grant(response, login)
  }

  #grant(response: ServerResponse, login: Login = { refresh: '', revoked: false }): void {
    login.refresh = this.#secret('refresh')
    this.#logins.set(login.refresh, login)
    send(response, 200, {
      access_token: this.#secret('access'),
      refresh_token: login.refresh,
      token_type: 'Bearer',
      expires_in: this.tokenSeconds,
    })
  }

  #redeem(code: string, verifier: string, redirectUri?: string): boolean {
    const known = this.#codes.get(code)
    this.#codes.delete(code)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const isSame = redirectUri === undefined || known?.redirectUri === redirectUri
    return known !== undefined && known.challenge === challenge && isSame
  }

  #isClient(request: IncomingMessage, body: URLSearchParams): boolean {
    if (this.#clientSecret === '') return body.get('client_id') === 'troupe'
    const [, given = ''] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? []
    const [id = '', secret = ''] = Buffer.from(given, 'base64').toString().split(':')
    return id === 'troupe' && decodeURIComponent(secret) === this.#clientSecret
  }

  #secret(kind: string): string {
    const secret = `${kind}-${randomBytes(24).toString('hex')}`
    this.secrets.push(secret)
    return secret
  }
}

function send(response: ServerResponse, status: number, body: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
