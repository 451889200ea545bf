/**
 * Searches a machine's configuration for features that the runtime can't make durable
 * (runtime/actor/actor-kind.ts says why).
 */
import { StateMachine, type AnyStateMachine } from 'xstate'

const forbiddenKeys = new Set(['after', 'invoke', 'delay'])
const actionKeys = new Set(['actions', 'entry', 'exit'])
const builtIns = /^xstate\.(spawnChild|stopChild|sendTo|raise|emit|cancel)$/

/** Each finding names the place and the fault. */
export function machineFaults(machine: AnyStateMachine): string[] {
  const faults: string[] = []
  const { context, ...config } = machine.config as Record<string, unknown>
  walk(config, machine.id, faults)
  // A context made from input is checked at run time, when it is written to the log.
  if (context !== undefined && typeof context !== 'function')
    checkPlain(context, machine.id, faults)
  return faults
}

function walk(value: unknown, path: string, faults: string[]): void {
  if (Array.isArray(value)) {
    value.forEach((item, i) => walk(item, `${path}[${i}]`, faults))
    return
  }
  if (typeof value !== 'object' || value === null || value instanceof StateMachine) return
  for (const [key, child] of Object.entries(value)) {
    const here = `${path}.${key}`
    if (forbiddenKeys.has(key) && child !== undefined) faults.push(`${here}: ${key}`)
    else if (actionKeys.has(key)) checkActions([child].flat(), here, faults)
    // Parameters are functions of context and event, which are called while the machine decides.
    else if (key !== 'params') walk(child, here, faults)
  }
}

function checkActions(actions: readonly unknown[], path: string, faults: string[]): void {
  for (const action of actions) {
    if (typeof action === 'function') {
      const builtIn = (action as { type?: string }).type
      faults.push(`${path}: ${builtIn ?? 'inline action'}`)
      continue
    }
    const { type } = typeof action === 'string' ? { type: action } : (action as { type: string })
    if (builtIns.test(type)) faults.push(`${path}: ${type}`)
    walk(action, path, faults)
  }
}

function checkPlain(value: unknown, path: string, faults: string[]): void {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'function') faults.push(`${path}: context holds a function`)
    return
  }
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) {
    faults.push(`${path}: context holds a ${value.constructor.name}`)
    return
  }
  for (const [key, child] of Object.entries(value)) checkPlain(child, `${path}.${key}`, faults)
}
