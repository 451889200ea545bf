/**
 * The faults that are put into compiled code, one at a time: each is a mistake that a person could
 * make. They are found in the syntax tree, so that none is in a comment or a string.
 */
import { parse, type Node } from 'acorn'
import { simple } from 'acorn-walk'

export const operatorNames = [
  'condition',
  'await',
  'check',
  'state',
  'deadline',
  'boundary',
] as const
export type Operator = (typeof operatorNames)[number]

/** `text` replaces what is between the offsets. */
export interface Mutation {
  readonly operator: Operator
  readonly start: number
  readonly end: number
  readonly text: string
}

/** `file`: compiled, below the folder of compiled files. */
export type PlacedMutation = Pick<Mutation, 'start' | 'end' | 'text'> & { readonly file: string }

/** Functions whose call only throws or refuses. */
const checks =
  /^#?(assert|check|require|verify|admit|authori[sz]e|fence|guard|ensure|validate|demand)/
/** Properties that name the state of something. */
const stateKeys: ReadonlySet<string> = new Set(['state', 'status', 'target'])
const boundaries: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
/** Long enough to be no deadline in a test. */
const deadlineFactor = 10_000

/** All that can be put into the module `code`, in its order. */
export function mutationsIn(code: string): Mutation[] {
  const found: Mutation[] = []
  const of = ({ start, end }: Node) => code.slice(start, end)
  const add = (operator: Operator, { start, end }: Node, text: string) =>
    found.push({ operator, start, end, text })
  const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module' })
  const states = new Map<string, Node[]>()
  const addDeadline = (ms: Node) => add('deadline', ms, `((${of(ms)}) * ${deadlineFactor})`)
  simple(program, {
    IfStatement: ({ test }) => add('condition', test, `!(${of(test)})`),
    ConditionalExpression: ({ test }) => add('condition', test, `!(${of(test)})`),
    AwaitExpression: (node) => add('await', node, `(${of(node.argument)})`),
    BinaryExpression(node) {
      const other = boundaries[node.operator]
      if (other) add('boundary', node, `${of(node.left)} ${other} ${of(node.right)}`)
    },
    ExpressionStatement(node) {
      const { expression } = node
      const called = expression.type === 'AwaitExpression' ? expression.argument : expression
      if (called.type !== 'CallExpression') return
      if (checks.test(nameOf(called.callee))) add('check', node, ';')
    },
    CallExpression(node) {
      const name = nameOf(node.callee)
      const [first, second] = node.arguments
      if (name === 'setTimeout' && second) addDeadline(second)
      if (name === 'timer' && first && second) addDeadline(first)
      if (name === 'timeout' && first && node.arguments.length === 1) addDeadline(first)
    },
    Property({ key, value }) {
      const isState = key.type === 'Identifier' && stateKeys.has(key.name)
      if (!isState || value.type !== 'Literal' || typeof value.value !== 'string') return
      states.set(key.name, [...(states.get(key.name) ?? []), value])
    },
  })
  for (const nodes of states.values()) {
    for (const node of nodes) {
      const other = nodes.find((each) => of(each) !== of(node))
      if (other) add('state', node, of(other))
    }
  }
  return found.toSorted((a, b) => a.start - b.start || a.end - b.end)
}

/** The last name of what is called: `admit` of `this.#deps.room.admit`. */
function nameOf(callee: Node): string {
  const { type, name, property } = callee as Node & { name?: string; property?: { name?: string } }
  if (type === 'Identifier') return name ?? ''
  return type === 'MemberExpression' ? (property?.name ?? '') : ''
}

export const applied = (code: string, { start, end, text }: Omit<Mutation, 'operator'>): string =>
  code.slice(0, start) + text + code.slice(end)
