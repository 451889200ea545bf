/**
 * Goal: a session keeps what its agent and its viewers tell: what the browser has used, what became of its
 * recording, whose a one-time link is. Its machine alone, no runtime.
 */
import t from 'tap'
import { admitSession } from '../../../../actors/session/admit.ts'
import { sessionView } from '../../../../actors/session/view.ts'
import { sessionLimits } from '../../../../proto/session/limits.ts'
import {
  active,
  after,
  answer,
  claim,
  context,
  statusOf,
} from '../../../helpers/runtime/session-machine.ts'

t.test('what its browser has used is kept as told last, also at its end', async (t) => {
  const use = { traffic: { sentBytes: 1, receivedBytes: 2 }, domains: ['shop.example'] }
  const { browserId } = claim
  const used = after(active(), { type: 'browser.used', browserId, use })
  t.same(context(used).use, use)
  const more = { ...use, domains: [] }
  const other = after(used, { type: 'browser.used', browserId: 'brw_other', use: more })
  t.same(context(other).use, use, 'that of another browser has no effect')
  const ending = after(used, { type: 'end', reason: 'deleted' })
  t.same(context(after(ending, { type: 'released' })).use, use, 'an older agent tells nothing')
  const ended = after(ending, { type: 'released', use: more })
  t.same(sessionView(ended.snapshot as never).use, more)
})

t.test('it is told once what has become of its recording, after its end too', async (t) => {
  const { browserId } = claim
  const ended = after(active(), { type: 'end', reason: 'deleted' }, { type: 'released' })
  const made = { outcome: 'ready', seconds: 12 } as const
  const other = after(ended, { type: 'recording.made', browserId: 'brw_other', made })
  t.equal(context(other).recording, undefined, 'of another browser')
  const told = after(ended, { type: 'recording.made', browserId, made })
  t.same(sessionView(told.snapshot as never).recording, made)
  t.equal(statusOf(told), 'completed')
  t.equal(context(told).endedAtMs, context(ended).endedAtMs)
  const again = { type: 'recording.made', browserId, made: { ...made, seconds: 1 } } as const
  t.same(context(after(told, again)).recording, made)
})

t.test(
  'a one-time link is for the viewer who opens it first, until links are revoked',
  async (t) => {
    const use = (link: string, by: string) => ({ type: 'live.use', link, by }) as const
    const opened = after(active(), use('l1', 'me'))
    t.same(answer(opened.snapshot, use('l1', 'me')), { isTheirs: true })
    const tried = after(opened, use('l1', 'you'))
    t.same(answer(tried.snapshot, use('l1', 'you')), { isTheirs: false })
    t.same(context(tried).usedLinks, { l1: 'me' })
    const { usedLinksPerSession } = sessionLimits
    const steps = Array.from({ length: usedLinksPerSession }, (_, n) => use(`l${n}`, 'me'))
    const full = after(active(), ...steps)
    t.throws(() => admitSession(full.snapshot as never, use('more', 'me')), {
      ...{ name: 'ServiceError', message: /100 one-time links/ },
    })
    t.doesNotThrow(() => admitSession(full.snapshot as never, use('l1', 'me')))
    const revoked = after(full, { type: 'live.revoke' })
    t.same(context(revoked).usedLinks, {})
    const ended = after(opened, { type: 'end', reason: 'deleted' }, { type: 'released' })
    t.throws(() => admitSession(ended.snapshot as never, use('l2', 'me')), {
      ...{ name: 'ServiceError', message: /has ended/ },
    })
  },
)
