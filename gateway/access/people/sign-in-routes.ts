import { z } from 'zod'
import { emailText } from '../../../proto/access/common.ts'
import { accessLimits } from '../../../proto/access/limits.ts'
import { passwordText, personActor } from '../../../proto/access/people/person.ts'
import type { PasswordHasher } from '../../../runtime/access/people/password-hasher.ts'
import { newTotp, stepOfCode, totpPlace } from '../../../runtime/access/people/totp.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { openKept, type Sealer } from '../../../runtime/accounts/seal/seal.ts'
import { emptyRoute, jsonRoute, type RawCall, type Route } from '../../routing/route.ts'
import { badField } from '../../routing/schemas/validate.ts'
import type { HttpRequest } from '../../server/http.ts'
import { personWith, type RequestOrigin } from '../../routing/auth/access-caller.ts'
import type { Governance } from '../governance/governance.ts'
import { dataJson, isoTime, timeJson } from '../../routing/schemas/access-json.ts'
import { personData, personJson } from './json.ts'
import type { PersonService, NewSignIn } from './people.ts'
import { peopleRule, steppedUp } from '../../routing/auth/access-rule.ts'

export interface SignInRouteDeps {
  readonly people: PersonService
  readonly passwords: PasswordHasher
  readonly governance: Governance
  readonly sealer: Sealer
  readonly clock: Clock
  readonly addressOf: (request: HttpRequest) => string
}

export type SignInCall = Pick<RawCall, 'request' | 'requestId'>

const givenPassword = z.string().min(1).max(accessLimits.passwordChars)
const code = z
  .string()
  .min(6)
  .max(16)
  .optional()
  .describe('The code of the authenticator app, if one is set up.')

export const signedInJson = dataJson(
  z.object({
    token: z.string().describe('Send it as Authorization: Bearer. It is shown only once.'),
    expires_at: timeJson,
    person: personJson,
  }),
)

export function signInRoutes(deps: SignInRouteDeps): readonly Route[] {
  return [...signedOutRoutes(deps), ...sessionRoutes(deps), ...totpRoutes(deps)]
}

export function signedInData({ text, person }: NewSignIn, clock: Clock) {
  const expires_at = isoTime(clock.now() + accessLimits.sessionMs)
  return { data: { token: text, expires_at, person: personData(person) } }
}

export const originBy =
  (addressOf: SignInRouteDeps['addressOf']) =>
  ({ request, requestId }: SignInCall): RequestOrigin => ({
    requestId,
    address: addressOf(request),
  })

/** Routes for people without a session. */
function signedOutRoutes({ people: signIns, clock, addressOf }: SignInRouteDeps): readonly Route[] {
  const originOf = originBy(addressOf)
  const shared = {
    method: 'POST',
    auth: 'none',
    isStrict: true,
    showsSecret: true,
    status: 201,
    response: signedInJson,
  } as const
  return [
    jsonRoute({
      ...shared,
      path: '/v1/sign-in',
      summary: 'Sign in as a person. The session lasts twelve hours.',
      description:
        'Returns a token to send as `Authorization: Bearer`. If an authenticator app is set ' +
        'up, `code` is required.',
      body: z.strictObject({ email: emailText, password: givenPassword, code }),
      async handler({ body, ...asked }) {
        return signedInData(await signIns.signIn(originOf(asked), body.email, body), clock)
      },
    }),
    jsonRoute({
      ...shared,
      path: '/v1/sign-in/invitations',
      summary: 'Accept an invitation: set a password and sign in.',
      description: 'The invitation is the text that the person received. It works once.',
      body: z.strictObject({ invitation: z.string().max(100), password: passwordText }),
      async handler({ body: { invitation, password }, ...asked }) {
        return signedInData(await signIns.accept(originOf(asked), invitation, password), clock)
      },
    }),
    jsonRoute({
      ...shared,
      path: '/v1/sign-in/resets',
      summary:
        'Set a new password with a reset. Earlier codes, passkeys and sessions become invalid.',
      description:
        'The reset is the text that another person created with `POST …/reset`. It works once.',
      body: z.strictObject({ reset: z.string().max(100), password: passwordText }),
      async handler({ body: { reset, password }, ...asked }) {
        return signedInData(await signIns.reset(originOf(asked), reset, password), clock)
      },
    }),
  ]
}

function sessionRoutes(deps: SignInRouteDeps): readonly Route[] {
  const { people: signIns } = deps
  const me = dataJson(personJson)
  return [
    jsonRoute({
      method: 'GET',
      path: '/v1/me',
      summary: 'Get the person who is signed in.',
      description: 'Includes their roles and status.',
      auth: 'access',
      access: peopleRule,
      response: me,
      handler: ({ caller }) => ({ data: personData(personWith(caller).person) }),
    }),
    jsonRoute({
      method: 'POST',
      path: '/v1/sign-in/step-up',
      summary: 'Confirm the password, for actions that require it. Valid for ten minutes.',
      description:
        'Routes that decide about access return `step_up_required` (403) until you do this.',
      auth: 'access',
      access: peopleRule,
      body: z.strictObject({ password: givenPassword, code }),
      response: me,
      async handler({ caller, body }) {
        return { data: personData(await signIns.stepUp(personWith(caller), body)) }
      },
    }),
    emptyRoute({
      method: 'DELETE',
      path: '/v1/sign-in',
      summary: 'Sign out; everywhere=true also ends your other sessions.',
      description: 'The token stops working at once.',
      auth: 'access',
      access: peopleRule,
      query: z.strictObject({ everywhere: z.boolean().default(false) }),
      handler: ({ caller, query }) => signIns.signOut(personWith(caller), query.everywhere),
    }),
    passwordRoute(deps),
  ]
}

function passwordRoute({ people: signIns, passwords, governance }: SignInRouteDeps): Route {
  return emptyRoute({
    method: 'PUT',
    path: '/v1/me/password',
    summary: 'Change the password. Every other session ends.',
    description: 'Requires the current password.',
    auth: 'access',
    access: peopleRule,
    body: z.strictObject({ password: givenPassword, code, new_password: passwordText }),
    async handler({ caller, body }) {
      const person = personWith(caller)
      await signIns.confirmed(person, body, async (code) => {
        const password = await passwords.hash(body.new_password)
        const by = governance.authorOf(caller)
        const sessionId = person.session.id
        const message = { type: 'set_password', password, sessionId, by, ...code } as const
        await governance.tell(personActor, caller, person.person.id, message)
      })
    },
  })
}

/** A new secret is stored nowhere before it is confirmed; it is sealed in the answer. */
function totpRoutes({ governance, sealer, clock }: SignInRouteDeps): readonly Route[] {
  const path = '/v1/me/totp'
  return [
    jsonRoute({
      method: 'POST',
      path,
      summary: 'Create a secret for an authenticator app. It takes effect once a code confirms it.',
      description: 'Show `url` as a QR code. Nothing changes until you confirm one of its codes.',
      auth: 'access',
      access: steppedUp(peopleRule),
      showsSecret: true,
      response: dataJson(z.object({ url: z.string(), secret: z.string(), sealed: z.string() })),
      handler({ caller }) {
        const { person } = personWith(caller)
        const { secret, url } = newTotp(person.email)
        return { data: { url, secret, sealed: sealer.seal(secret, totpPlace(person.id)) } }
      },
    }),
    emptyRoute({
      method: 'PUT',
      path,
      summary:
        'Confirm the secret with one of its codes. From then on, signing in requires a code.',
      description: 'Send `sealed` as the previous step returned it.',
      auth: 'access',
      access: steppedUp(peopleRule),
      body: z.strictObject({ sealed: z.string().max(500), code: z.string().min(6).max(16) }),
      async handler({ caller, body }) {
        const { person } = personWith(caller)
        const secret = openKept(sealer, body.sealed, totpPlace(person.id))
        if (secret === undefined) {
          throw badField(
            'sealed',
            'sealed is not valid for this person: send the value that POST returned.',
          )
        }
        const codeStep = stepOfCode(secret, body.code, clock.now())
        if (codeStep === undefined) {
          throw badField('code', 'code is wrong; check the clock of the device.')
        }
        const by = governance.authorOf(caller)
        const message = { type: 'set_totp', totp: body.sealed, by, codeStep } as const
        await governance.tell(personActor, caller, person.id, message)
      },
    }),
    emptyRoute({
      method: 'DELETE',
      path,
      summary: 'Remove the authenticator app: sign in without codes again.',
      description: 'Requires a recent confirmation of your password or a passkey.',
      auth: 'access',
      access: steppedUp(peopleRule),
      async handler({ caller }) {
        const { person } = personWith(caller)
        const message = { type: 'set_totp', totp: null, by: governance.authorOf(caller) } as const
        await governance.tell(personActor, caller, person.id, message)
      },
    }),
  ]
}
