/**
 * Goal: changes are requested, decided and done by the portal's forms alone, with the rules of REST
 * in words. Method: a real service, plain HTTP, no script; each page is reached by what the
 * previous one offers.
 */
import t from 'tap'
import { systemAuthor } from '../../../proto/access/author.ts'
import { changedRecord } from '../../../runtime/access/records/change.ts'
import { ageSignIns } from '../../helpers/access/old-sign-ins.ts'
import { dataOf } from '../../helpers/access/asking.ts'
import { makePerson, password } from '../../helpers/access/people.ts'
import { textOf, type PageHeard } from '../../helpers/access/portal/plain-browser.ts'
import {
  idIn,
  linkTo,
  monitorFields,
  openPortalChanges,
  plans,
  reason,
  soon,
} from '../../helpers/access/portal/changes.ts'
import { until } from '../../helpers/lib/until.ts'

const world = await openPortalChanges(t, '10.24.0')
const { insider, a, ada, staff, ask, records, signedIn, monitorOf } = world
const { member, owner, stranger, manager, operator } = world
const { proposed, approved, decide, schedule } = world
const auditor = await signedIn((await staff('auditor')).email)

t.test('from a record to a completed change that it shows, by forms alone', async (t) => {
  const target = await monitorOf('Shop')
  const record = await until('the record is seen', async () => {
    const page = await member.get(`/portal/records/monitoring/${target}`)
    return page.status === 200 && page
  })
  t.match(textOf(record), /There are no changes to this record/)
  const link = linkTo(record, '/changes/new')
  const form = await member.get(link)
  t.match(form.html, /name="patch\.interval_s"[^>]*value="300"/, 'it begins as the record is')

  const wrong = {
    ...{ title: 'Short', need_id: a.need, ...plans, impact: 'x', ...monitorFields },
    ...{ 'patch.interval_s': '5', 'patch.kind': 'tcp' },
  }
  const refused = await member.submit(form, '/portal/changes/new', wrong)
  t.equal(refused.status, 422)
  t.match(textOf(refused), /Title must have at least 10 characters/)
  t.match(textOf(refused), /Impact must have at least 10 characters/)
  t.match(textOf(refused), /Interval S|Checked every \(seconds\) must be at least 30/)
  for (const field of ['title', 'impact', 'patch-interval-s']) {
    t.match(refused.html, `href="#f-${field}"`, `the summary leads to ${field}`)
    t.match(refused.html, new RegExp(`id="f-${field}"[^>]*aria-invalid="true"`), field)
  }
  t.match(refused.html, 'value="Short"', 'what was typed stays')
  t.match(refused.html, /<option value="tcp" selected/)

  const draft = await member.submit(refused, '/portal/changes/new', {
    ...{ ...wrong, title: 'Ask the shop more often', impact: plans.impact },
    ...{ 'patch.interval_s': '60', 'patch.kind': 'http' },
  })
  t.match(textOf(draft), /Saved as a draft/)
  t.match(textOf(draft), /Field Current New Checked every \(seconds\) 300 60/)
  const id = idIn(draft)
  const got = dataOf<{ patch: object }>(
    await ask('GET', `/v1/changes/${id}`, { token: a.owner.token }),
  )
  t.same(got.patch, { interval_s: 60 }, 'fields that were not edited are not written')
  const own = await member.submit(draft, `/portal/changes/${id}/propose`)
  t.match(textOf(own), /Change proposed\. The reviewers’ decision/)
  t.match(textOf(own), /You proposed this change, so someone else must approve it/)
  t.notMatch(own.html, /name="decision"/)

  const board = await manager.get('/staff/changes')
  t.match(textOf(board), /Your turn: Review the change/)
  t.match(board.html, id)
  const review = await manager.get(`/staff/changes/${id}`)
  t.match(textOf(review), /Not in your access/, 'a change opens no record to anybody')
  t.notMatch(review.html, />300</)
  const action = `/staff/changes/${id}/reviews`
  const empty = await manager.submit(review, action, { decision: 'approve', reason: 'short' })
  t.equal(empty.status, 422)
  t.match(textOf(empty), /Reason must have at least 10 characters/)
  const yes = await manager.submit(empty, action, { decision: 'approve', reason })
  t.match(textOf(yes), /Change approved\. Yours was the last review it needed/)

  const scheduling = `/staff/changes/${id}/schedule`
  const past = { window_start: '2020-01-01T10:00', window_end: '2020-01-01T09:00' }
  const late = await manager.submit(yes, scheduling, past)
  t.equal(late.status, 422)
  t.match(textOf(late), /End must be after window\.start/)
  t.match(late.html, 'value="2020-01-01T10:00"')
  const planned = await manager.submit(late, scheduling, soon())
  t.match(textOf(planned), /Scheduled\. No other change can book/)
  t.match(textOf(planned), /You approved this change, so someone else must implement it/)
  const begun = await operator.submit(
    await operator.get(`/staff/changes/${id}`),
    `/staff/changes/${id}/start`,
  )
  t.match(textOf(begun), /Change started\. Report the result/)
  const complete = `/staff/changes/${id}/complete`
  const bare = await operator.submit(begun, complete, { evidence: '', notes: '' })
  t.equal(bare.status, 422)
  const done = await operator.submit(bare, complete, {
    ...{ evidence: 'https://ci.example/run/7\nSeen on the board.', notes: 'At once.' },
  })
  t.match(textOf(done), /Change done\. Its values have been written/)
  t.match(textOf(done), /Evidence https:\/\/ci\.example\/run\/7 Seen on the board\./)
  for (const state of ['Draft', 'Proposed', 'Approved', 'Scheduled', 'In progress', 'Done']) {
    t.match(textOf(done), new RegExp(`${state} \\d+ \\w+ \\d{4}, \\d\\d:\\d\\d UTC`), state)
  }
  const after = await until('the record has it', async () => {
    const page = await member.get(`/portal/records/monitoring/${target}`)
    return /seconds\) 60/.test(textOf(page)) && page
  })
  t.match(textOf(after), /Ask the shop more often/, 'and names the change')
  t.match(after.html, `href="/portal/changes/${id}"`)
})

t.test('pages of another client’s changes do not exist', async (t) => {
  const id = await proposed(await monitorOf('Shop'))
  const plain = ({ html }: PageHeard) => html.replaceAll(/req_\w+|value="[^"]*"/g, '')
  for (const path of [`/portal/changes/${id}`, `/portal/changes/${id}/edit`]) {
    const page = await stranger.get(path)
    const absent = await stranger.get(path.replace(id, 'chg_00000000000000000000000000'))
    t.equal(page.status, 404, path)
    t.equal(plain(page), plain(absent), 'as one that never was')
  }
  for (const path of ['', '/table', '/calendar', `/table?target=x&client=${a.id}`]) {
    t.notMatch((await stranger.get(`/portal/changes${path}`)).html, id, path)
  }
  const form = await stranger.get('/portal/changes/new?kind=other')
  const foreign = await stranger.submit(form, '/portal/changes/new', {
    ...{ title: 'Something of theirs', need_id: a.need, ...plans },
  })
  t.equal(foreign.status, 422, 'a need of another client')
  const bare = { decision: 'approve', reason, seen: '3', digest: '0'.repeat(64) }
  const path = `/portal/changes/${id}/reviews`
  t.equal((await stranger.post(path, bare)).status, 403, 'a form without its token comes first')
  const forged = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const page = await manager.get(`/staff/changes/${id}`)
  const token = /name="form_token" value="([^"]*)"/.exec(page.html)?.[1] ?? ''
  const fields = { ...bare, form_token: token }
  t.equal((await manager.post(`/staff/changes/${id}/reviews`, fields, forged)).status, 403)
})

t.test('each role is offered what it may do, and told in words why not', async (t) => {
  const target = await monitorOf('Shop')
  const id = await proposed(target, { client_visible: 'true', risk: 'high' })
  const looking = await auditor.get(`/staff/changes/${id}`)
  t.equal(looking.status, 200)
  t.notMatch(looking.html, /action="[^"]*\/changes\//, 'an auditor looks')
  t.notMatch((await auditor.get('/staff/changes')).html, 'href="/staff/changes/new"')
  t.match(textOf(looking), /needs a review by 2 change managers and an owner of the client/)
  t.match(textOf(looking), /High risk requires two change managers/)
  const once = await decide(manager, id)
  t.match(textOf(once), /Partly approved/)
  t.match(textOf(once), /You have already reviewed this change/)
  const seen = await owner.get(`/portal/changes/${id}`)
  t.match(textOf(seen), /Approved by Staff, change manager/, 'members are not told who of staff')
  const agreed = await owner.submit(seen, `/portal/changes/${id}/reviews`, {
    ...{ decision: 'approve', reason },
  })
  t.match(textOf(agreed), /Your review is recorded/)
  t.match(
    textOf(await operator.get(`/staff/changes/${id}`)),
    /needs a review by a change manager\./,
  )
  const stale = await member.get(`/portal/changes/${id}`)
  const cancel = `/portal/changes/${id}/cancel`
  const short = await member.submit(stale, cancel, { reason: 'no' })
  t.equal(short.status, 422)
  t.match(short.html, /<details class="folded" open/)
  t.match(
    textOf(await member.submit(short, cancel, { reason })),
    /Change cancelled\. Nothing was written/,
  )
  const again = await member.submit(stale, cancel, { reason })
  t.equal(again.status, 409, 'a page that is out of date decides nothing')
})

t.test('sent back for changes it is rewritten, and its old digest approves nothing', async (t) => {
  const id = await proposed(await monitorOf('Shop'))
  const old = await manager.get(`/staff/changes/${id}`)
  await decide(manager, id, 'request_changes')
  const back = await member.get(`/portal/changes/${id}`)
  t.match(textOf(back), /Changes requested It is what was agreed on/)
  const edit = await member.get(linkTo(back, '/edit'))
  t.match(edit.html, /name="patch\.interval_s"[^>]*value="60"/, 'it begins as it was asked for')
  const better = { title: 'Ask the shop a bit more often', need_id: a.need, ...plans }
  const action = `/portal/changes/${id}/edit`
  const nothing = await member.submit(edit, action, { ...better, ...monitorFields })
  t.match(textOf(nothing), /No field has changed/)
  const saved = await member.submit(nothing, action, {
    ...{ ...better, ...monitorFields, 'patch.interval_s': '120' },
  })
  t.match(textOf(saved), /300 120/)
  await member.submit(saved, `/portal/changes/${id}/propose`)
  const review = { decision: 'approve', reason }
  const stale = await manager.submit(old, `/staff/changes/${id}/reviews`, review)
  t.equal(stale.status, 412)
  t.match(textOf(stale), /Ask the shop a bit more often/, 'what it is now is shown')
  const now = await manager.submit(stale, `/staff/changes/${id}/reviews`, review)
  t.match(textOf(now), /Change approved\. Yours was the last review/)
  t.equal((await member.get(action)).path, `/portal/changes/${id}`, 'it is no draft any more')
})

t.test('two changes to one target at one time collide, and the page says which', async (t) => {
  const target = await monitorOf('Shop')
  const first = await approved(target)
  const second = await approved(target, { 'patch.interval_s': '90', title: 'Ask it less often' })
  t.match(textOf(await schedule(first)), /Scheduled/)
  const refused = await schedule(second)
  t.equal(refused.status, 409)
  const wished = await proposed(target, { ...soon(), title: 'Ask it now and then' })
  const page = await manager.get(`/staff/changes/${wished}`)
  t.match(textOf(page), /Another change uses this target at the same time Ask the shop more often/)
  const calendar = await member.get(`/portal/changes/calendar?target=${target}`)
  t.match(textOf(calendar), /2 windows with a conflict on the same target/)
  t.match(textOf(calendar), /Conflict on Monitoring: Shop/)
  t.match(textOf(await member.get('/portal/changes/calendar?month=2019-02')), /February 2019/)
  t.match(textOf(await member.get('/portal/changes/calendar?month=x')), /Previous month/)
})

t.test('a target that changed meanwhile sends the change back, and the page says so', async (t) => {
  const target = await monitorOf('Shop')
  const id = await approved(target)
  await schedule(id)
  const begin = await operator.get(`/staff/changes/${id}`)
  const begun = await operator.submit(begin, `/staff/changes/${id}/start`)
  const held = (await records.get(a.id, 'monitoring', target))!
  const fields = { ...held.record.fields, name: 'The shop' }
  const by = { by: systemAuthor('import') }
  await records.replace(changedRecord(held.record, fields, by, Date.now()), held.revision)
  const back = await operator.submit(begun, `/staff/changes/${id}/complete`, {
    ...{ evidence: 'Seen on the board.', notes: '' },
  })
  t.equal(back.status, 409)
  t.match(textOf(back), /The target has changed in the meantime/)
  t.match(textOf(back), /other values in: Name/)
  t.match(textOf(back), /for an earlier version of the change/)
})

t.test('an emergency change is reviewed later by somebody without a part in it', async (t) => {
  const id = await approved(await monitorOf('Shop'), { type: 'emergency' })
  const page = await operator.get(`/staff/changes/${id}`)
  const planned = await operator.submit(page, `/staff/changes/${id}/schedule`, soon())
  const begun = await operator.submit(planned, `/staff/changes/${id}/start`)
  const failed = await operator.submit(begun, `/staff/changes/${id}/fail`, { reason })
  t.match(textOf(failed), /Change marked as failed/)
  const more = await operator.submit(failed, `/staff/changes/${id}/schedule`, soon())
  const again = await operator.submit(more, `/staff/changes/${id}/start`)
  const evidence = { evidence: 'Seen on the board.', notes: '' }
  const done = await operator.submit(again, `/staff/changes/${id}/complete`, evidence)
  t.match(textOf(done), /Post-review due/)
  t.match(textOf(await manager.get(`/staff/changes/${id}`)), /You took part in this change/)
  const third = await signedIn((await staff('change_manager')).email)
  const look = await third.get(`/staff/changes/${id}`)
  const looked = await third.submit(look, `/staff/changes/${id}/post-review`, { reason })
  t.match(textOf(looked), /Your review of this emergency change is recorded/)
  t.match(textOf(looked), /Post-review by/)
})

t.test('a failed change is rolled back', async (t) => {
  const id = await approved(await monitorOf('Shop'))
  await schedule(id)
  const begin = await operator.get(`/staff/changes/${id}`)
  const begun = await operator.submit(begin, `/staff/changes/${id}/start`)
  const failed = await operator.submit(begun, `/staff/changes/${id}/fail`, { reason })
  const back = await operator.submit(failed, `/staff/changes/${id}/roll-back`, { reason })
  t.match(textOf(back), /Change marked as rolled back/)
  t.match(textOf(await operator.get('/staff/changes')), /closed/)
})

t.test('a review asks again for a password that was given long ago', async (t) => {
  const email = 'manager-step-up@provider.example'
  const invited = { tenant: 'platform', email, roles: ['change_manager'], by: ada.author } as const
  const { id: person } = await makePerson(insider.directory, invited)
  const one = await signedIn(email)
  await ageSignIns(insider, { id: person, tenant: 'platform' }, 2)
  const id = await proposed(await monitorOf('Shop'))
  const action = `/staff/changes/${id}/reviews`
  const page = await one.get(`/staff/changes/${id}`)
  const asked = await until('the gateway knows how old it is', async () => {
    const answer = await one.submit(page, action, { decision: 'deny', reason })
    return answer.status === 403 && answer
  })
  t.match(textOf(asked), /Enter your password to continue/)
  const done = await one.submit(asked, action, { step_up_password: password })
  t.match(textOf(done), /Your review is recorded/)
  t.match(textOf(done), /Rejected/)
})
