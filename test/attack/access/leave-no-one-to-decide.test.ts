/**
 * One of the people who decide removes the others, until none is left who could refuse, or who
 * could decide at all. Method: a real service, with an agency of two and a client with one owner.
 */
import t from 'tap'
import { newAccessId } from '../../../proto/access/ids.ts'
import { dataOf, errorOf, patient } from '../../helpers/access/asking.ts'
import { makePerson, type Person } from '../../helpers/access/people.ts'
import { removeStaff } from '../../helpers/access/removal.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { until } from '../../helpers/lib/until.ts'

const world = await openWorld(t)
const { insider, ada, grace, a, staff, deciders } = world
const ask = patient(world.ask)
const reason = 'we do not need them any more'
let addresses = 0

const tell = (by: Person, path: string, body?: object) =>
  ask('POST', path, {
    ...{ token: by.token, from: `10.130.${addresses >> 8}.${addresses++ & 255}` },
    ...{ seen: '*' as const, ...(body && { body }) },
  })

/** Members name the version that they have seen. */
async function asOwner(by: Person, id: string, verb: string, body: object) {
  const { version } = dataOf(await ask('GET', `/v1/members/${id}`, { token: by.token }))
  return ask('POST', `/v1/members/${id}/${verb}`, { token: by.token, seen: version, body })
}

const isIn = async ({ token }: Person) => (await ask('GET', '/v1/me', { token })).status === 200

async function anotherOwner(): Promise<Person> {
  const who = { tenant: a.id, roles: ['owner'], by: ada.author } as const
  const email = `${newAccessId('person')}@a.example`
  const made = await makePerson(insider.directory, { ...who, email })
  await until('the gateway knows them', () => isIn(made))
  return made
}

t.test('an admin removes the other of two, alone', async (t) => {
  const extra = [await staff('reviewer', 'admin'), await staff('reviewer')] as const
  for (const [by, victim] of [[ada, grace]] as const) {
    const answer = await tell(by, `/v1/staff/${victim.id}/remove`, { reason })
    t.match(dataOf(answer), { status: 'active', removal: { proposed_by: by.id } })
    const own = await tell(by, `/v1/staff/${victim.id}/confirm-removal`)
    t.match(errorOf(own), { code: 403, type: 'self_review' })
    t.ok(await isIn(victim), 'she goes on')
    t.equal((await tell(extra[0], `/v1/staff/${victim.id}/withdraw-removal`)).status, 200)
  }
  for (const one of extra) await removeStaff(ask, one, [ada, grace])
})

t.test('the second reviewer and the last admin are removed, or lose the role', async (t) => {
  const third = { id: deciders.third.id } as Person
  await removeStaff(ask, third, [ada, grace])
  for (const [by, victim] of [
    [ada, grace],
    [grace, ada],
    [grace, grace],
  ] as const) {
    const answer = await tell(by, `/v1/staff/${victim.id}/remove`, { reason })
    t.match(errorOf(answer), { code: 409, message: /as reviewer.*invite another reviewer first/ })
  }
  const demoted = await tell(ada, `/v1/staff/${grace.id}/roles`, { roles: ['admin', 'operator'] })
  t.match(errorOf(demoted), { code: 409, message: /as reviewer/ })
  // An invitation that has not been accepted does not make up for them.
  const invited = { email: 'ghost@provider.example', name: 'Ghost', roles: ['reviewer', 'admin'] }
  await ask('POST', '/v1/staff', { token: ada.token, body: invited })
  t.equal((await tell(ada, `/v1/staff/${grace.id}/remove`, { reason })).status, 409)
  t.ok((await isIn(ada)) && (await isIn(grace)))
})

t.test('the last owner removes herself, is removed, or gives the role away', async (t) => {
  const because = { code: 409, message: /as owner.*invite another owner first/ }
  t.match(errorOf(await asOwner(a.owner, a.owner.id, 'remove', { reason })), because)
  t.match(errorOf(await tell(ada, `/v1/members/${a.owner.id}/remove`, { reason })), because)
  const roles = { roles: ['member'] }
  t.match(errorOf(await tell(ada, `/v1/members/${a.owner.id}/roles`, roles)), because)
  const other = await anotherOwner()
  t.equal((await asOwner(other, other.id, 'remove', { reason })).status, 200, 'not the last one')
  t.ok(await isIn(a.owner))
})

t.test('two owners are removed at the same moment', async (t) => {
  for (let round = 0; round < 12; round++) {
    const other = await anotherOwner()
    const answers = await Promise.all(
      [a.owner, other].map(({ id }) =>
        tell(grace, `/v1/members/${id}/roles`, { roles: ['member'] }),
      ),
    )
    const statuses = answers.map(({ status }) => status).sort()
    t.same(statuses, [200, 409], `round ${round}`)
    const left = (await isOwner(a.owner)) ? a.owner : other
    t.ok(await isOwner(left))
    for (const { id } of [a.owner, other]) {
      if (id !== left.id) dataOf(await asOwner(left, id, 'roles', { roles: ['owner'] }))
    }
    t.equal((await tell(grace, `/v1/members/${other.id}/remove`, { reason })).status, 200)
  }
})

async function isOwner({ token }: Person): Promise<boolean> {
  const me = await ask('GET', '/v1/me', { token })
  return dataOf<{ roles: readonly string[] }>(me).roles.includes('owner')
}
