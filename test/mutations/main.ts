/**
 * Puts faults into the compiled source, one at a time, and says which share of them the tests find:
 * `node dist/test/mutations/main.js --count 200 --seed 1`. What no test found is listed, to be read:
 * it is a test that is missing, or code that does nothing. The share of a seed must not fall.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { t } from 'tap'
import { packageRoot } from '../../runtime/lib/package.ts'
import { readSourceGraph } from '../run/changed/source-graph.ts'
import type { Job } from '../run/jobs.ts'
import { draw, type Drawn } from './draw.ts'
import { nearestTests } from './nearest.ts'
import { operatorNames } from './operators.ts'
import { passes, usualJobs } from './passes.ts'
import { openFaultyTree, placeOf, sourceOf } from './tree.ts'

const usage = `node dist/test/mutations/main.js [--count 200] [--seed 1] [--files 8]
  --count N  how many faults
  --seed N   which ones: the same seed draws the same from the same source
  --files N  how many test files may look for each, the nearest first`

const shownChars = 60

interface Search {
  readonly root: string
  readonly most: number
}

class FaultSearch {
  readonly #search: Search
  readonly #graph = readSourceGraph(packageRoot)
  readonly #jobs: ReadonlyMap<string, Job>
  readonly #untouched: ReadonlyMap<string, Job>
  readonly #isSound = new Map<string, Promise<boolean>>()

  constructor(search: Search) {
    this.#search = search
    this.#jobs = usualJobs(search.root)
    this.#untouched = usualJobs(join(packageRoot, 'dist/test'))
  }

  /** The title of the test file that finds the fault that is there now; two look at a time. */
  async foundBy(fault: Drawn): Promise<string | undefined> {
    const titles = nearestTests(this.#graph, sourceOf(fault), this.#search.most)
    for (let next = 0; next < titles.length; next += 2) {
      const pair = titles.slice(next, next + 2)
      const fails = await Promise.all(pair.map((title) => this.#fails(title)))
      const found = pair.find((_, index) => fails[index])
      if (found !== undefined) return found
    }
    return undefined
  }

  /** A file that fails without any fault finds none. */
  async #fails(title: string): Promise<boolean> {
    const job = this.#jobs.get(title)
    if (!job || (await passes(job))) return false
    const known = this.#isSound.get(title) ?? passes(this.#untouched.get(title)!)
    this.#isSound.set(title, known)
    return known
  }
}

async function findAll(count: number, seed: number, most: number): Promise<void> {
  const tree = openFaultyTree(packageRoot, join(packageRoot, '.out/mutations'))
  const search = new FaultSearch({ root: tree.tests, most })
  const outcomes: { readonly fault: Drawn; readonly finder: string | undefined }[] = []
  for (const fault of draw(join(packageRoot, 'dist'), seed, count)) {
    const finder = await tree.with(fault, () => search.foundBy(fault))
    outcomes.push({ fault, finder })
    const what = `${placeOf(packageRoot, fault)} ${fault.operator}: ${shortOf(fault.before)}`
    console.log(finder ? `found   ${what}\n          by ${finder}` : `MISSED  ${what}`)
  }
  tree.remove()
  for (const operator of operatorNames) {
    const its = outcomes.filter(({ fault }) => fault.operator === operator)
    const found = its.filter(({ finder }) => finder)
    if (its.length > 0) console.log(`${operator}: ${found.length} of ${its.length}`)
  }
  const found = outcomes.filter(({ finder }) => finder).length
  const percent = Math.round((found / Math.max(1, outcomes.length)) * 100)
  console.log(`seed ${seed}: ${found} of ${outcomes.length} faults were found (${percent} %)`)
}

const shortOf = (code: string) => code.replaceAll(/\s+/g, ' ').slice(0, shownChars)

// This process is not a test itself, so tap's limit of 30 seconds must not apply.
t.setTimeout(0)

const number = { type: 'string' } as const
const { values } = parseArgs({
  options: { count: number, seed: number, files: number, help: { type: 'boolean' } },
})
const [count, seed, most] = [values.count ?? 200, values.seed ?? 1, values.files ?? 8].map(Number)
if (values.help || !(count! >= 1) || !(seed! >= 0) || !(most! >= 1)) {
  console.log(usage)
  process.exitCode = values.help ? 0 : 1
} else {
  await findAll(count!, seed!, most!)
}
