/**
 * `npm run nightly`: runs what is too long for each change, one stage after the other, and prints a
 * table. `npm run nightly -- seeds races` runs those stages; `--record` also writes the table to
 * `test/nightly/last-run.md`. Exits with 1 if a stage failed.
 */
import { spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { packageRoot } from '../../runtime/lib/package.ts'
import { stages, type Stage } from './stages.ts'
import { closingLine, tableOf, type StageOutcome } from './table.ts'

const usage = `npm run nightly -- [--record] [stage ...]
  --record  write the table to test/nightly/last-run.md, too

${stages.map(({ name, what }) => `  ${name.padEnd(10)} ${what}`).join('\n')}`

const logs = join(packageRoot, '.out/nightly')
const tableFile = join(packageRoot, 'test/nightly/last-run.md')
const tests = fileURLToPath(new URL('..', import.meta.url))
const charsKept = 100_000

/** Its output goes to a file, and is shown as it comes. */
async function run({ name, program, args, env }: Stage): Promise<StageOutcome> {
  const begunMs = performance.now()
  const child = spawn(process.execPath, [join(tests, program), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<number>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ? 1 : code!))
  })
  let end = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text)
    end = (end + text).slice(-charsKept)
  })
  await pipeline(child.stdout, createWriteStream(join(logs, `${name}.log`)))
  const isGreen = (await exited) === 0
  const minutes = (performance.now() - begunMs) / 60_000
  return { name, isGreen, minutes, closing: closingLine(end) }
}

async function runStages(chosen: readonly Stage[], isRecorded: boolean): Promise<void> {
  mkdirSync(logs, { recursive: true })
  const outcomes: StageOutcome[] = []
  for (const stage of chosen) {
    console.log(`\n${stage.name}: ${stage.what}`)
    outcomes.push(await run(stage))
  }
  const table = tableOf(stages, outcomes)
  console.log(`\n${table}`)
  if (isRecorded) writeFileSync(tableFile, `# The last run of \`npm run nightly\`\n\n${table}\n`)
  process.exitCode = outcomes.every(({ isGreen }) => isGreen) ? 0 : 1
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { record: { type: 'boolean' }, help: { type: 'boolean' } },
})
const unknown = positionals.filter((name) => !stages.some((stage) => stage.name === name))
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.log(`there is no stage ${unknown.join(', ')}\n`)
  console.log(usage)
  process.exitCode = values.help ? 0 : 1
} else {
  const chosen = stages.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  await runStages(chosen, values.record === true)
}
