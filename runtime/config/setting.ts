/**
 * The definition of a setting, and the kinds of settings: how an environment variable is parsed.
 */
import { resolve } from 'node:path'
import { isToken } from '../../proto/ids.ts'

export class ConfigError extends Error {
  constructor(name: string, value: string, expected: string, cause?: unknown) {
    super(`${name}=${JSON.stringify(value)} is not usable: ${expected}`, { cause })
    this.name = 'ConfigError'
  }
}

export interface Setting<T> {
  readonly help: string
  readonly fallback: T
  /** The default in words, if it depends on the machine. */
  readonly shown?: string
  readonly parse: (text: string, name: string) => T
  /** Never printed. */
  readonly secret?: boolean
}

export function textSetting(fallback: string, help: string): Setting<string> {
  return { fallback, help, parse: (value) => value }
}

interface Form {
  readonly fits: (value: string) => boolean
  readonly expected: string
}

/** An invalid value is not shown either. */
export function secretSetting(help: string, form?: Form): Setting<string> {
  return {
    fallback: '',
    help,
    secret: true,
    parse(value, name) {
      if (form && !form.fits(value)) throw new ConfigError(name, '…', form.expected)
      return value
    },
  }
}

export function dirSetting(fallback: string, help: string): Setting<string> {
  return { fallback, help, parse: (value) => resolve(value) }
}

/** Comma-separated list. */
export function listSetting(
  fallback: readonly string[],
  help: string,
  form?: Form,
): Setting<readonly string[]> {
  return {
    fallback,
    help,
    parse(value, name) {
      const items = value.split(',').map((item) => item.trim())
      const misfit = form && items.find((item) => !form.fits(item))
      if (misfit !== undefined) throw new ConfigError(name, misfit, form!.expected)
      return items
    },
  }
}

export function countSetting(fallback: number, help: string, least = 0): Setting<number> {
  return whole(fallback, help, least, 1e9, `use a whole number from ${least} up`)
}

export function portSetting(fallback: number, help: string): Setting<number> {
  return whole(fallback, help, 0, 65_535, 'use a port from 0 to 65535')
}

function whole(
  fallback: number,
  help: string,
  least: number,
  most: number,
  expected: string,
): Setting<number> {
  return {
    fallback,
    help,
    parse(value, name) {
      const number = Number(value)
      if (Number.isInteger(number) && number >= least && number <= most) return number
      throw new ConfigError(name, value, expected)
    },
  }
}

export function flagSetting(fallback: boolean, help: string): Setting<boolean> {
  return {
    fallback,
    help,
    parse(value, name) {
      if (['1', 'true', 'yes', 'on'].includes(value.toLowerCase())) return true
      if (['0', 'false', 'no', 'off'].includes(value.toLowerCase())) return false
      throw new ConfigError(name, value, 'use 1 or 0')
    },
  }
}

export function urlSetting(fallback: string, help: string): Setting<string> {
  return {
    fallback,
    help,
    parse(value, name) {
      if (!/^(https?|wss?):\/\//.test(value) || !URL.canParse(value)) {
        throw new ConfigError(name, value, 'use a URL such as https://browsers.example.com')
      }
      return value.replace(/\/+$/, '')
    },
  }
}

export function tokenSetting(fallback: string, help: string): Setting<string> {
  return {
    fallback,
    help,
    parse(value, name) {
      if (!isToken(value))
        throw new ConfigError(name, value, 'use letters, digits, - and _, at most 64')
      return value
    },
  }
}

export function oneOfSetting<const T extends string>(
  values: readonly [T, ...T[]],
  help: string,
): Setting<T> {
  return {
    fallback: values[0],
    help,
    parse(value, name) {
      const found = values.find((candidate) => candidate === value)
      if (found === undefined) throw new ConfigError(name, value, `use one of ${values.join(', ')}`)
      return found
    },
  }
}
