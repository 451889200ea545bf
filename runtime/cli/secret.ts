/** `troupe secret`: the secret from which the service's signatures are made. */
import { buckets } from '../../proto/subjects.ts'
import { loadConfig } from '../config.ts'
import { openSealer } from '../seal/seal.ts'
import { rotateServiceSecret } from '../service-secret.ts'
import type { Command, Family } from './command.ts'
import { confirm } from './confirm.ts'
import { withStore } from './with-store.ts'

const ends =
  'every cdp_url, link to a live view, token of a session and sign-in to the portal that there is'

const rotate: Command = {
  usage: 'secret rotate [--yes]',
  about: 'Replace the signing secret, on all hosts at once.',
  more: [
    '',
    'For a secret that somebody may have read. Ends, within a second,',
    `${ends}.`,
    'Keys stay valid and sessions continue: a client reads its session again for its new cdp_url. Tasks',
    'tasks, but for those of command-line agents, whose way to the browser is such a token.',
  ].join('\n'),
  options: { yes: { help: 'Do not ask.' } },
  settings: ['NATS_URL', 'DATA_DIR', 'SEAL_KEY'],
  examples: ['troupe secret rotate'],
  async run({ switches }) {
    if (!switches.has('yes') && !(await confirm(`This ends ${ends}. Go on?`))) return 1
    const sealer = openSealer(loadConfig())
    await withStore((store) => rotateServiceSecret({ keys: store.bucket(buckets.keys), sealer }))
    console.log('The service signs with a new secret now.')
    return 0
  },
}

export const secret: Family = {
  about: 'The secret behind cdp_urls, links and tokens.',
  commands: { rotate },
}
