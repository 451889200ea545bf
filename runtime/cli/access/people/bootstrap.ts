import { emailText, nameText } from '../../../../proto/access/common.ts'
import { platformTenant } from '../../../../proto/access/ids.ts'
import { personActor, type PersonView } from '../../../../proto/access/people/person.ts'
import { inviteStaff, type BootstrapPerson } from '../../../access/people/bootstrap.ts'
import { systemClock } from '../../../lib/clock.ts'
import { storedViews } from '../../../actor/views.ts'
import { CommandFailed, UsageError, type CliCommand } from '../../command.ts'
import { alignColumns } from '../../help.ts'
import { withDirectory } from '../../with-store.ts'

export const bootstrapCommand: CliCommand = {
  usage: 'access bootstrap PERSON [PERSON]',
  about: 'Invite the first two people of the provider, and show their invitations once.',
  more:
    'A person is an address, or a name and an address as in `Ada Lovelace <ada@example.com>`. ' +
    'Scoped access needs two people: one requests, another decides. If you are alone, name one ' +
    'address and set ACCESS_SINGLE_OPERATOR=1; every decision is then marked as one person’s.',
  arguments: [1, 2],
  settings: ['NATS_URL', 'DATA_DIR', 'ACCESS_SINGLE_OPERATOR'],
  examples: [
    'troupe access bootstrap ada@example.com grace@example.com',
    "troupe access bootstrap 'Ada Lovelace <ada@example.com>' 'Grace Hopper <grace@example.com>'",
  ],
  async run({ args }) {
    const invited = args.map(readPerson)
    const invitations = await withDirectory(async (directory, store) => {
      const people = await storedViews<PersonView>(store, personActor.kind, platformTenant)
      const staff = people.filter(({ status }) => status !== 'removed')
      if (staff.length > 0) {
        throw new CommandFailed(
          `there are already staff (${staff.map(({ email }) => email).join(', ')}): one of their admins can invite more (POST /v1/staff)`,
        )
      }
      return inviteStaff({ directory, store, clock: systemClock }, invited)
    })
    console.error('Each sets a password within three days (POST /v1/sign-in/invitations):')
    console.log(
      alignColumns(
        invitations.map(({ email, text }) => [email, text] as const),
        '',
      ),
    )
    return 0
  },
}

/** Without a name, the part before the `@` is one. */
function readPerson(text: string): BootstrapPerson {
  const [, named, address = text] = /^(.*?)\s*<([^<>]+)>$/.exec(text) ?? []
  const email = emailText.safeParse(address)
  if (!email.success) throw new UsageError(`"${address}" is not an e-mail address`)
  const name = nameText.safeParse(named || address.split('@')[0])
  if (!name.success) throw new UsageError(`"${named}" cannot be a name`)
  return { email: email.data, name: name.data }
}
