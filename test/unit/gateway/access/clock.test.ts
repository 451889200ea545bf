/**
 * Goal: the gateway's own clock decides whether access holds, whatever the views say and however
 * old they are; a clock that is an hour wrong opens nothing early, and its effect ends with its
 * error. Method: the gate's own parts on views that no longer change, and a clock that is moved.
 */
import t from 'tap'
import { AccessAuthenticator } from '../../../../gateway/access/gate/authenticate.ts'
import { Authorizer } from '../../../../gateway/access/gate/authorize.ts'
import { AccessChain } from '../../../../gateway/access/gate/chain.ts'
import { AccessRates } from '../../../../gateway/access/gate/rates.ts'
import type { HttpRequest } from '../../../../gateway/server/http.ts'
import { grantActor, type GrantView } from '../../../../proto/access/grants/grant.ts'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { requestActor } from '../../../../proto/access/grants/request.ts'
import { newSecretText } from '../../../../proto/access/people/secret-text.ts'
import { decode } from '../../../../proto/codec.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { buckets } from '../../../../proto/subjects.ts'
import { sleep, systemClock } from '../../../../runtime/lib/clock.ts'
import type { ViewRecord } from '../../../../runtime/actor/views.ts'
import { AccessStage } from '../../../helpers/access/actors/stage.ts'
import { entriesOf } from '../../../../runtime/store/entries-of.ts'
import * as story from '../../../helpers/access/actors/story.ts'

const hourMs = 3_600_000
const stage = await AccessStage.begin()
const { directory } = stage

/** A grant that begins in an hour and lasts two, with a token. */
async function grantLater(nowMs: number) {
  const { draft, mine, owner, reviewers, reviewOf, submit, termsAt, asker } = story
  const terms = termsAt(nowMs, { startsAtMs: nowMs + hourMs, endsAtMs: nowMs + 3 * hourMs })
  const id = await draft(directory, 1, nowMs, terms)
  let view = await submit(directory, id)
  for (const by of [reviewers[0], owner]) {
    const settled = { ...mine, untilSettled: true }
    const review = reviewOf(by, view.digest)
    view = (await directory.ask(requestActor, id, review, settled)).view
  }
  const { text, hash, hint } = newSecretText('token')
  const mint = { type: 'mint', tokenId: newAccessId('token'), hash, hint, name: 'later' } as const
  const minted = await directory.ask(grantActor, view.grantId!, { ...mint, by: asker }, mine)
  return { grant: minted.view, text }
}

const bornMs = stage.clock.now()
const { grant, text } = await stage.until(grantLater(bornMs))
/** Views are published a moment after the events that they show. */
await stage.until(sleep(stage.clock, 60_000))
const entries = await entriesOf(stage.store.bucket(buckets.views))
const records = entries.map(({ key, value }): [string, ViewRecord] => [
  key,
  decode<ViewRecord>(value),
])

const request: HttpRequest = {
  ...{ method: 'GET', path: '/v1/access', query: new URLSearchParams() },
  headers: new Map([['authorization', `Bearer ${text}`]]),
  ...{ remoteAddress: '192.0.2.1', gone: new AbortController().signal },
  body: async () => new Uint8Array(),
  stream: () => {
    throw new Error('nobody reads the body')
  },
}

/**
 * The answer of a gateway whose last view of the grant is this: `in`, or the type of the error.
 * `hours` after the grant was made, by the gateway's clock.
 */
function ask(view: GrantView, hours: number, isFresh = true): string {
  const clock = { ...systemClock, now: () => bornMs + hours * hourMs }
  const chain = new AccessChain({ entries: () => records, onChange: () => () => undefined })
  chain.learn('grant', view)
  const authenticator = new AccessAuthenticator({
    ...{ chain, clock, rates: new AccessRates(clock), isFresh: () => isFresh },
    onFailed: () => undefined,
  })
  try {
    const caller = authenticator.authenticate(request, { requestId: 'req_1', address: '192.0.2.1' })
    if (caller.kind !== 'token') return caller.kind
    new Authorizer(chain, clock).permissions(caller)
    return 'in'
  } catch (error) {
    if (error instanceof ServiceError) return error.type
    throw error
  }
}

/** As its actor publishes it when it begins. */
const active: GrantView = { ...grant, status: 'active', version: grant.version + 1 }

t.test('a view that no longer changes is valid no longer than its times', async (t) => {
  t.match(grant, { status: 'scheduled' })
  t.equal(ask(active, 1), 'in')
  t.equal(ask(active, 2.99), 'in')
  t.equal(ask(active, 3), 'invalid_token')
})

t.test('an actor host whose clock is an hour ahead opens nothing early', async (t) => {
  t.equal(ask(active, 0), 'invalid_token')
  t.equal(ask(active, 0.99), 'invalid_token')
})

t.test('a gateway whose clock is an hour ahead opens nothing early', async (t) => {
  for (const trueHours of [0, 0.5, 0.99]) t.equal(ask(grant, trueHours + 1), 'invalid_token')
})

t.test('a gateway whose clock is an hour behind is late by that hour at most', async (t) => {
  t.equal(ask(active, 3.5 - 1), 'in')
  t.equal(ask(active, 4 - 1), 'invalid_token')
  const ended: GrantView = { ...active, status: 'ended', version: active.version + 1 }
  t.equal(ask(ended, 3 - 1), 'invalid_token', 'and not at all once it has heard of the end')
})

t.test('a gateway that may be out of date admits nobody, whatever it has stored', async (t) => {
  for (const hours of [0, 1, 2]) t.equal(ask(active, hours, false), 'authorization_unavailable')
})
