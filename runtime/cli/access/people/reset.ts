/**
 * Password resets for people who cannot sign in: by an admin or owner, or by the operator of this
 * host.
 */
import { z } from 'zod'
import { systemAuthor } from '../../../../proto/access/author.ts'
import { reasonText } from '../../../../proto/access/common.ts'
import { isAccessId } from '../../../../proto/access/ids.ts'
import { personActor } from '../../../../proto/access/people/person.ts'
import { newSecretText } from '../../../../proto/access/people/secret-text.ts'
import { UsageError, type CliCommand } from '../../command.ts'
import { baseVariable } from '../../service-base.ts'
import { withDirectory } from '../../with-store.ts'
import { personAnswer, type PersonAnswer } from '../service/answers.ts'
import { getPerson } from '../service/entities.ts'
import { dataOf } from '../service/service.ts'
import { ServiceSession } from './service-session.ts'
import { storedPerson } from './stored-person.ts'

const answer = dataOf(personAnswer.extend({ reset: z.string() }))

export const resetCommand: CliCommand = {
  usage: 'access reset PERSON --reason TEXT [--on-host]',
  about: 'Let a person who cannot sign in set a new password: show a reset once, on stdout.',
  more:
    'It works once, within a day, and then voids their codes, passkeys and sessions. Admins\n' +
    'create resets for staff and members, owners for members of their client. --on-host needs no\n' +
    'sign-in, and also accepts an e-mail address: it is for the operator of this host, when no admin\n' +
    'can sign in.',
  arguments: [1, 1],
  options: {
    reason: { value: 'TEXT', required: true, help: 'Why; it is recorded in the audit.' },
    'on-host': { help: 'Work without a sign-in, through the store of the service.' },
  },
  settings: ['DATA_DIR', 'NATS_URL'],
  variables: baseVariable,
  examples: ['troupe access reset usr_… --reason "she has a new phone and called me about it"'],
  async run({ args: [who = ''], values, switches }) {
    const reason = reasonText.safeParse(values['reason'])
    if (!reason.success) throw new UsageError('--reason takes 10 to 2,000 characters')
    const make = switches.has('on-host') ? onHost : asSignedIn
    const { email, text } = await make(who, reason.data)
    console.error(
      `For ${email}, within a day: npm run troupe -- access sign-in ${email} --reset TEXT, or at`,
    )
    console.error('/portal/reset of the service. Not shown again:')
    console.log(text)
    return 0
  },
}

interface IssuedReset {
  readonly email: string
  readonly text: string
}

async function asSignedIn(id: string, reason: string): Promise<IssuedReset> {
  if (!isAccessId('person', id)) throw new UsageError('reset takes a person: usr_…')
  const service = ServiceSession.open()
  const { kind, version }: PersonAnswer = await getPerson(service, id)
  const made = await service.call({
    method: 'POST',
    path: `/v1/${kind === 'staff' ? 'staff' : 'members'}/${id}/reset`,
    ...{ body: { reason }, version, answer },
  })
  return { email: made.email, text: made.reset }
}

/** An e-mail address is accepted too: a person who cannot sign in cannot look up an id. */
const onHost = (who: string, reason: string): Promise<IssuedReset> =>
  withDirectory(async (directory, store) => {
    const person = await storedPerson(store, who)
    const { text, hash: resetHash } = newSecretText('invitation')
    const message = { type: 'reset', resetHash, reason, by: systemAuthor('host') } as const
    const { view } = await directory.ask(personActor, person.id, message)
    return { email: view.email, text }
  })
