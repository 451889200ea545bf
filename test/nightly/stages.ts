/** What runs at night: what is too long for each change. Each stage is a program of its own. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../runtime/lib/package.ts'

export interface Stage {
  readonly name: string
  /** For the table. */
  readonly what: string
  /** Below `dist/test`, with its arguments. */
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const racedFiles = readFileSync(join(packageRoot, 'test/nightly/raced-files.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

const stage = (
  name: string,
  what: string,
  program: string,
  args: readonly string[],
  env: Stage['env'] = {},
): Stage => ({ name, what, program, args, env })

export const stages: readonly Stage[] = [
  stage('all', 'every test file and pass, none with a second chance', 'run.js', [
    '--no-second-chance',
    '--times',
  ]),
  stage(
    'records',
    'a start with 200,000 ended sessions and tasks',
    'run.js',
    ['attack/store/fill-the-store-with-records'],
    { TEST_RECORDS: '200000' },
  ),
  stage('idle', 'ten quiet minutes of a browser behind a proxy', 'run.js', ['e2e/page/idle'], {
    IDLE_SECONDS: '600',
  }),
  stage('setup', '200 browsers with drawn options', 'run.js', ['e2e/setup/drawn'], {
    SETUP_DRAWS: '100',
  }),
  stage('upgrade', 'a service of the last version goes on with this one', 'nightly/upgrade.js', []),
  stage('seeds', 'simulations with ten times the seeds', 'run.js', ['test/sim/'], {
    SIM_SEEDS: '15000',
  }),
  stage('races', 'files that once failed by a race, 20 times under load', 'stress.js', [
    ...['--times', '20', '--load', '4'],
    ...racedFiles,
  ]),
  stage('protocol', 'known mistakes in the actor protocol', 'mutations/protocol.js', []),
  stage('mutations', 'faults put into the source that a test must find', 'mutations/main.js', [
    ...['--count', '200'],
  ]),
]
