/** Parses key combinations such as `Control+a` into key names of the contract. Pure. */
import { ServiceError } from '../../../../proto/errors.ts'
import { commandLimits } from '../../../../proto/commands/limits.ts'

/** Key names of web pages that the contract does not have. */
const otherNames: Readonly<Record<string, string>> = {
  arrowup: 'Up',
  arrowdown: 'Down',
  arrowleft: 'Left',
  arrowright: 'Right',
  meta: 'Command',
  controlormeta: 'Control',
  del: 'Delete',
  plus: '+',
}

export function keysOf(combination: string): readonly string[] {
  const names = combination.endsWith('++')
    ? [...combination.slice(0, -2).split('+'), '+']
    : combination === '+'
      ? ['+']
      : combination.split('+')
  const keys = names.map((name) => (name === ' ' ? 'Space' : name.trim()))
  if (keys.includes('') || keys.length > commandLimits.shortcutKeys) {
    const message = `key must be one key or several joined by + (Control+a), not "${combination}".`
    throw new ServiceError('bad_request', message, { field: 'key' })
  }
  return keys.map((name) => otherNames[name.toLowerCase()] ?? name)
}
