// Goal: `troupe browser` has every command of the catalogue, with every field of its input; its
// examples can be typed, and its skill names what there is. A new command or field fails here, or is there.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import t from 'tap'
import { commandCatalogue } from '../../../../proto/commands/catalogue.ts'
import { browserCommandGroup } from '../../../../runtime/cli/browser/browser.ts'
import { readDefinitions } from '../../../../runtime/cli/browser/verbs/definitions.ts'
import { makeDefinitions } from '../../../../runtime/cli/browser/verbs/make-definitions.ts'
import { skillText } from '../../../../runtime/cli/browser/skill.ts'
import { inputOf, optionName } from '../../../../runtime/cli/browser/verbs/verb-input.ts'
import { verbs, withoutVerb, type ShellVerb } from '../../../../runtime/cli/browser/verbs/verbs.ts'
import { parseInput } from '../../../../runtime/cli/command.ts'

const definitions = makeDefinitions()
const all: readonly (readonly [string, ShellVerb])[] = Object.entries(verbs)

/** The words of a line, as a shell would pass them. */
const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')

const lineOf = (name: string, ...argv: readonly string[]) =>
  parseInput(browserCommandGroup.commands[name]!, argv)

const inputFrom = (name: string, ...argv: readonly string[]) => {
  const verb: ShellVerb = verbs[name as keyof typeof verbs]
  return inputOf(verb, definitions[verb.command]!, lineOf(name, ...argv))
}

t.test('what the build wrote is what the catalogue says', async (t) => {
  t.same(readDefinitions(), definitions)
})

t.test('each command has a verb, or a reason', async (t) => {
  const reached = new Set([...all.map(([, { command }]) => command), ...Object.keys(withoutVerb)])
  t.same(
    commandCatalogue.map(({ name }) => name).filter((name) => !reached.has(name)),
    [],
  )
})

t.test('each field is given by position, by an option, or by a verb of its own', async (t) => {
  /** Second names of other fields. */
  const aliases = ['selector', 'value', 'label']
  for (const { name } of commandCatalogue.filter((command) => !(command.name in withoutVerb))) {
    const of = all.filter(([, verb]) => verb.command === name)
    const offered = of.flatMap(([verbName, verb]) => {
      const { usage, options = {} } = browserCommandGroup.commands[verbName]!
      const fixed = Object.keys(verb.fixed ?? {}).map(optionName)
      const placed = usage.split(' ').map((word) => word.replaceAll(/[[\].]/g, '').toLowerCase())
      return [...placed, ...Object.keys(options), ...fixed]
    })
    const fields = Object.keys(definitions[name]!.properties)
    const read = of.some(([, { reads }]) => reads === 'input') ? fields : []
    const script = of.some(([, { reads }]) => reads === 'code') ? ['code'] : []
    const known = [...offered, ...[...read, ...script, ...aliases].map(optionName)]
    t.same(
      fields.filter((field) => !known.includes(optionName(field))),
      [],
      name,
    )
  }
})

t.test('each example is a line that can be typed', async (t) => {
  for (const [name, command] of Object.entries(browserCommandGroup.commands)) {
    t.ok(command.examples?.length, name)
    for (const example of command.examples ?? []) {
      const [program, group, verb, ...argv] = wordsOf(example.replace(/ > .*/, ''))
      t.same([program, group, verb], ['troupe', 'browser', name], example)
      t.doesNotThrow(() => parseInput(command, argv), example)
    }
  }
})

t.test('an option has a help', async (t) => {
  for (const [name, { options = {}, about }] of Object.entries(browserCommandGroup.commands)) {
    t.match(about, /\.$/, name)
    for (const [option, { help }] of Object.entries(options)) {
      t.match(help, /\S.*[.)]$/s, `${name} --${option}`)
    }
  }
})

t.test('texts become what the schema has', async (t) => {
  t.same(await inputFrom('click', 'e1', '--double', '--timeout', '90'), {
    ...{ target: 'e1', double: true, timeout: 90 },
  })
  t.same(await inputFrom('type', 'e1', '42'), { target: 'e1', text: '42' })
  t.same(await inputFrom('select', 'e1', 'a', '2'), { target: 'e1', values: ['a', '2'] })
  t.same(await inputFrom('drag', 'e1', '--by', '{"dx": 3, "dy": 4}'), {
    ...{ from: 'e1', by: { dx: 3, dy: 4 } },
  })
  t.same(await inputFrom('mouse-scroll', '1', '2', '-3'), {
    ...{ x: 1, y: 2, deltaY: -3 },
  })
  t.same(await inputFrom('scroll', '--pages', '-1'), { pages: -1 })
  t.same(await inputFrom('back'), { go: 'back' })
  t.same(await inputFrom('dialog-accept', 'Ada'), { text: 'Ada', accept: true })
  t.same(await inputFrom('keyboard-shortcut', 'Control', 's'), { keys: ['Control', 's'] })
  t.same(await inputFrom('type', 'e1', '--', '--submit'), { target: 'e1', text: '--submit' })
})

t.test('the skill names verbs that exist, in fewer than 800 tokens', async (t) => {
  const text = skillText('troupe')
  t.ok(countTokens(text) < 800, `${countTokens(text)} tokens`)
  const named = [...text.matchAll(/(?:^\| \w+(?: \w+)? \| .*$)/gm)].flatMap(([row]) =>
    [...row.matchAll(/`([a-z-]+)/g)].map(([, name]) => name!),
  )
  t.ok(named.length > 25)
  t.same(
    named.filter((name) => name !== 'async' && !(name in browserCommandGroup.commands)),
    [],
  )
})
