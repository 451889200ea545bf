/** Which of the two engines serves: uWebSockets.js where a native build loads, else node:http. */
import type { Config } from '../../runtime/config.ts'
import { loadNative, NoNativeServer } from './uws/native.ts'

/** By what people know them, under the names that `SERVER_ENGINE` has for them. */
export const engineNames = { uws: 'uWebSockets.js', node: 'node:http' } as const
export type Engine = keyof typeof engineNames

/** Throws {@link NoNativeServer} when uWebSockets.js is demanded and no build of it loads here. */
export function chooseEngine(
  choice: Config['SERVER_ENGINE'],
  load: () => unknown = loadNative,
): Engine {
  if (choice === 'node') return 'node'
  try {
    load()
    return 'uws'
  } catch (error) {
    if (choice === 'auto' && error instanceof NoNativeServer) return 'node'
    throw error
  }
}
