/** `troupe secret`: the secret from which the service's signatures are made. */
import { buckets } from '../../../proto/subjects.ts'
import { loadConfig } from '../../config/config.ts'
import { openSealer } from '../../accounts/seal/seal.ts'
import { rotateServiceSecret } from '../../accounts/keys/service-secret.ts'
import { auditCommand } from '../service-audit/audit-list.ts'
import type { CliCommand, CliCommandGroup } from '../command.ts'
import { confirm } from '../terminal/confirm.ts'
import { withStore } from '../with-store.ts'

const ends = 'every existing cdp_url, live view link, session token and portal sign-in'

const rotate: CliCommand = {
  usage: 'secret rotate [--yes]',
  about: 'Replace the signing secret, on all hosts at once.',
  more: [
    '',
    'Use it if the secret may have leaked. Within a second, it ends',
    `${ends}.`,
    'Keys stay valid and sessions continue: a client reads its session again for its new cdp_url.',
    'Tasks continue too, except those of command-line agents, which use such a token.',
  ].join('\n'),
  options: { yes: { help: 'Do not ask.' } },
  settings: ['NATS_URL', 'DATA_DIR', 'SEAL_KEY'],
  examples: ['troupe secret rotate'],
  async run({ switches }) {
    if (!switches.has('yes') && !(await confirm(`This ends ${ends}. Continue?`))) return 1
    const sealer = openSealer(loadConfig())
    await withStore(async (store) => {
      await rotateServiceSecret({ keys: store.bucket(buckets.keys), sealer })
      await auditCommand(store.serviceAudit, { action: 'secret.rotate' })
    })
    console.log('The service signs with a new secret now.')
    return 0
  },
}

export const secretCommandGroup: CliCommandGroup = {
  about: 'The secret behind cdp_urls, links and tokens.',
  commands: { rotate },
}
