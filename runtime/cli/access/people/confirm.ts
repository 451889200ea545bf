/**
 * The second person's word: for roles, resets and removals of people that wait for it. The operator
 * of this host can give it too, and is independent of everyone.
 */
import { systemAuthor } from '../../../../proto/access/author.ts'
import { isAccessId } from '../../../../proto/access/ids.ts'
import { personActor } from '../../../../proto/access/people/person.ts'
import { CommandFailed, UsageError, type CliCommand } from '../../command.ts'
import { baseVariable } from '../../service-base.ts'
import { withDirectory } from '../../with-store.ts'
import { personAnswer } from '../service/answers.ts'
import { getPerson } from '../service/entities.ts'
import { dataOf } from '../service/service.ts'
import { ServiceSession } from './service-session.ts'
import { storedPerson } from './stored-person.ts'

export const confirmCommand: CliCommand = {
  usage: 'access confirm PERSON [--removal] [--on-host]',
  about: 'Confirm the roles or the reset of a person that wait for a second person.',
  more:
    'Roles that decide take effect with it. It takes another admin, who neither let the person who\n' +
    'asked in during the last 30 days nor was let in by them. --on-host needs no sign-in, and also\n' +
    'accepts an e-mail address: the operator of this host is independent, and after their word the\n' +
    'person is independent of those who let them in. Make sure who the person is.',
  arguments: [1, 1],
  options: {
    removal: { help: 'Confirm that the person is removed from the staff.' },
    'on-host': { help: 'Work without a sign-in, through the store of the service.' },
  },
  settings: ['DATA_DIR', 'NATS_URL'],
  variables: baseVariable,
  examples: ['troupe access confirm usr_…', 'troupe access confirm carl@example.com --on-host'],
  async run({ args: [who = ''], switches }) {
    const confirm = switches.has('on-host') ? onHost : asSignedIn
    const { name, status, roles } = await confirm(who, switches.has('removal'))
    console.log(`${name} is ${status}${roles.length > 0 ? `: ${roles.join(', ')}` : ''}`)
    return 0
  },
}

interface Confirmed {
  readonly name: string
  readonly status: string
  readonly roles: readonly string[]
}

async function asSignedIn(id: string, isRemoval: boolean): Promise<Confirmed> {
  if (!isAccessId('person', id)) throw new UsageError('confirm takes a person: usr_…')
  const service = ServiceSession.open()
  const { kind, version } = await getPerson(service, id)
  const path = `/v1/${kind === 'staff' ? 'staff' : 'members'}/${id}`
  const verb = isRemoval ? 'confirm-removal' : 'confirm'
  const answer = dataOf(personAnswer)
  return service.call({ method: 'POST', path: `${path}/${verb}`, version, answer })
}

const onHost = (who: string, isRemoval: boolean): Promise<Confirmed> =>
  withDirectory(async (directory, store) => {
    const { id, name, removal } = await storedPerson(store, who)
    const by = systemAuthor('host')
    if (!isRemoval) return (await directory.ask(personActor, id, { type: 'confirm', by })).view
    if (!removal) throw new CommandFailed(`the removal of ${name} is not proposed`)
    const { reason } = removal
    return (await directory.ask(personActor, id, { type: 'remove', reason, by })).view
  })
