/** Routes of passkeys: signing in and stepping up with one, and managing one's own. */
import { z } from 'zod'
import { nameText } from '../../../proto/access/common.ts'
import { newAccessId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { PasskeyView } from '../../../proto/access/people/passkey.ts'
import { personActor } from '../../../proto/access/people/person.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'
import { emptyRoute, jsonRoute, type Route } from '../../routing/route.ts'
import type { HttpRequest } from '../../server/http.ts'
import { personWith, type PersonCaller } from '../../routing/auth/access-caller.ts'
import type { Governance } from '../governance/governance.ts'
import { dataJson, isoTime, timeJson } from '../../routing/schemas/access-json.ts'
import { personData, personJson } from './json.ts'
import { passkeyCredentialJson, type PasskeyOffer, type Passkeys } from '../passkeys/passkeys.ts'
import type { RelyingParty } from '../passkeys/relying-party.ts'
import type { PersonService } from './people.ts'
import type { AccessRates } from '../gate/rates.ts'
import { peopleRule, steppedUp } from '../../routing/auth/access-rule.ts'
import { ofId } from '../governance/entity-routes.ts'
import { originBy, signedInData, signedInJson } from './sign-in-routes.ts'

export interface PasskeyRouteDeps {
  readonly people: PersonService
  readonly passkeys: Passkeys
  readonly governance: Governance
  readonly directory: Pick<Directory, 'ask'>
  readonly rates: Pick<AccessRates, 'address'>
  readonly clock: Clock
  readonly addressOf: (request: HttpRequest) => string
  /** Undefined if passkeys are not possible. */
  readonly partyOf: (request: HttpRequest) => RelyingParty | undefined
}

const attempt = z
  .string()
  .max(limits.passkeyAttemptChars)
  .describe('The attempt that came with the options. It is valid once, for five minutes.')
const holder = z
  .string()
  .max(limits.nameChars)
  .default('')
  .describe(
    'A text that only the person signing in knows, such as a cookie. Send the same text both ' +
      'times.',
  )
const answered = { attempt, credential: passkeyCredentialJson } as const

const offerJson = dataJson(
  z.object({
    options: z
      .looseObject({})
      .describe('Options for navigator.credentials, as its parse…FromJSON functions take them.'),
    attempt: z.string().describe('Send it back with the answer of the device.'),
  }),
)
const offerData = ({ options, attempt }: PasskeyOffer) => ({ data: { options, attempt } })

const passkeyJson = z.object({
  id: z.string(),
  name: z.string(),
  created_at: timeJson,
  last_used_at: timeJson.optional(),
})
const passkeyData = ({ id, name, createdAtMs, lastUsedAtMs }: PasskeyView) => ({
  id,
  name,
  created_at: isoTime(createdAtMs),
  ...(lastUsedAtMs !== undefined && { last_used_at: isoTime(lastUsedAtMs) }),
})

export function passkeyRoutes(deps: PasskeyRouteDeps): readonly Route[] {
  return [...signInRoutes(deps), ...stepUpRoutes(deps), ...addRoutes(deps), ...ownRoutes(deps)]
}

function signInRoutes(deps: PasskeyRouteDeps): readonly Route[] {
  const { people: signIns, passkeys, rates, clock, addressOf, partyOf } = deps
  const originOf = originBy(addressOf)
  const shared = { method: 'POST', auth: 'none', isStrict: true } as const
  return [
    jsonRoute({
      ...shared,
      path: '/v1/sign-in/passkeys/options',
      summary: 'Get options for signing in with any passkey of this service on the device.',
      description:
        'Options for `navigator.credentials.get()`; answer with `POST /v1/sign-in/passkeys`.',
      body: z.strictObject({ holder }),
      response: offerJson,
      async handler({ body, ...asked }) {
        rates.address(originOf(asked).address)
        const purpose = { of: 'sign_in', holder: body.holder } as const
        return offerData(await passkeys.ask(partyOf(asked.request), purpose))
      },
    }),
    jsonRoute({
      ...shared,
      path: '/v1/sign-in/passkeys',
      summary:
        'Sign in with only a passkey, which counts as two factors. The session lasts twelve hours.',
      description: 'Send what the device returned for the options.',
      showsSecret: true,
      status: 201,
      body: z.strictObject({ ...answered, holder }),
      response: signedInJson,
      async handler({ body, ...asked }) {
        const given = { ...body, party: partyOf(asked.request) }
        const signedIn = await signIns.signInByPasskey(originOf(asked), body.holder, given)
        return signedInData(signedIn, clock)
      },
    }),
  ]
}

function stepUpRoutes(deps: PasskeyRouteDeps): readonly Route[] {
  const { people: signIns, passkeys, partyOf } = deps
  const shared = { method: 'POST', auth: 'access', access: peopleRule } as const
  return [
    jsonRoute({
      ...shared,
      path: '/v1/sign-in/step-up/passkeys/options',
      summary: 'Get options for confirming with one of your passkeys instead of the password.',
      description:
        'Options for a signed-in person; answer with `POST /v1/sign-in/step-up/passkeys`.',
      response: offerJson,
      async handler({ caller, request }) {
        const { session } = personWith(caller)
        const purpose = { of: 'step_up', holder: session.id } as const
        const known = await passkeysOf(deps, personWith(caller))
        return offerData(await passkeys.ask(partyOf(request), purpose, known))
      },
    }),
    jsonRoute({
      ...shared,
      path: '/v1/sign-in/step-up/passkeys',
      summary:
        'Confirm your identity with a passkey, for actions that require it. Valid for ten minutes.',
      description: 'Send what the device returned for the options.',
      body: z.strictObject(answered),
      response: dataJson(personJson),
      async handler({ caller, body, request }) {
        const given = { ...body, party: partyOf(request) }
        return { data: personData(await signIns.stepUpByPasskey(personWith(caller), given)) }
      },
    }),
  ]
}

function addRoutes(deps: PasskeyRouteDeps): readonly Route[] {
  const { passkeys, governance, partyOf } = deps
  const shared = { method: 'POST', auth: 'access', access: steppedUp(peopleRule) } as const
  return [
    jsonRoute({
      ...shared,
      path: '/v1/me/passkeys/options',
      summary: 'Get options for creating a new passkey on the device.',
      description:
        'Options for `navigator.credentials.create()`; answer with `POST /v1/me/passkeys`.',
      response: offerJson,
      async handler({ caller, request }) {
        const own = personWith(caller)
        const known = await passkeysOf(deps, own)
        const { person, session } = own
        return offerData(await passkeys.askNew(partyOf(request), session.id, person, known))
      },
    }),
    jsonRoute({
      ...shared,
      path: '/v1/me/passkeys',
      summary: 'Add the passkey that the device has created.',
      description: 'Send what the device returned, and a name for the passkey.',
      status: 201,
      body: z.strictObject({ name: nameText, ...answered }),
      response: dataJson(passkeyJson),
      async handler({ caller, body: { name, ...answer }, request }) {
        const { person, session } = personWith(caller)
        const made = await passkeys.checkNew(partyOf(request), session.id, answer)
        if (!made) throw notMadeError()
        const passkeyId = newAccessId('passkey')
        const by = governance.authorOf(caller)
        const message = { type: 'add_passkey', by, passkeyId, name, ...made } as const
        const reply = governance.tell(personActor, caller, person.id, message)
        const view = await reply.catch((error: unknown) => {
          const isSpent = error instanceof ServiceError && error.type === 'unauthorized'
          throw isSpent ? notMadeError() : error
        })
        return { data: passkeyData(view.passkeys.find(({ id }) => id === passkeyId)!) }
      },
    }),
  ]
}

const notMadeError = () =>
  new ServiceError(
    'bad_request',
    'This passkey was not created for this service, or the attempt has expired; start again.',
    { field: 'credential' },
  )

function ownRoutes({ governance }: PasskeyRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      method: 'GET',
      path: '/v1/me/passkeys',
      summary: 'List your passkeys.',
      description: 'Each with its name and last use.',
      auth: 'access',
      access: peopleRule,
      response: z.object({ data: z.array(passkeyJson) }),
      handler: ({ caller }) => ({ data: personWith(caller).person.passkeys.map(passkeyData) }),
    }),
    emptyRoute({
      method: 'DELETE',
      path: '/v1/me/passkeys/{id}',
      summary: 'Remove a passkey. The password stays valid.',
      description: 'It can no longer be used to sign in.',
      auth: 'access',
      access: steppedUp(peopleRule),
      params: ofId,
      async handler({ caller, params }) {
        const { person } = personWith(caller)
        if (!person.passkeys.some(({ id }) => id === params.id)) {
          throw new ServiceError('not_found', 'You have no passkey with this id.')
        }
        const by = governance.authorOf(caller)
        const message = { type: 'remove_passkey', passkeyId: params.id, by } as const
        await governance.tell(personActor, caller, person.id, message)
      },
    }),
  ]
}

const passkeysOf = async ({ directory }: PasskeyRouteDeps, { person }: PersonCaller) =>
  (await directory.ask(personActor, person.id, { type: 'secrets' })).passkeys
