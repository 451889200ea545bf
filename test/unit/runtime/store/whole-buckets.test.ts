/**
 * Goal: nothing that runs for a service's users reads a whole bucket; who does is named here, with the
 * reason why it may. Method: read every source file.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../../runtime/lib/package.ts'

const folders = ['runtime', 'actors', 'gateway', 'node-agent']

const mayScan: Readonly<Record<string, string>> = {
  'runtime/store/entries-of.ts': 'for the others that are named here',
  'runtime/actor/retention.ts':
    'the views of what runs or ended lately, by one host, every ten minutes',
  'runtime/accounts/credentials/records.ts': 'the accounts that operators have set up',
  'runtime/accounts/credentials/reseal.ts': 'accounts and logins, when an operator changes the key',
  'runtime/accounts/keys/keys.ts': 'the API keys, when an operator lists them',
  'runtime/accounts/seal/shared-keys.ts': 'processes, when one starts or an operator asks',
  'runtime/cli/hosts/live-hosts.ts': 'processes, when an operator asks',
  'runtime/accounts/seal/reseal-records.ts':
    'profiles, extensions and logins with sites, when an operator changes the key',
}

t.test('whole buckets are read only by those that are named', async (t) => {
  const found = folders.flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((file) => /\.tsx?$/.test(file))
      .filter((file) =>
        /\.scan\(\s*\)|\/entries-of\.ts'/.test(readFileSync(join(packageRoot, file), 'utf8')),
      ),
  )
  t.same(found.toSorted(), Object.keys(mayScan).toSorted())
})
