/** The handler of each command of the catalogue. */
import type { CommandName } from '../../../proto/commands/catalogue.ts'
import { actingHandlers } from './acting.ts'
import { desktopHandlers } from './desktop.ts'
import type { HandlersOf } from './handler.ts'
import { movingHandlers } from './moving.ts'
import { permittingHandlers } from './permitting.ts'
import { readingHandlers } from './reading.ts'
import { routingHandlers } from './routing.ts'
import { scriptingHandlers } from './scripting.ts'
import { storingHandlers } from './storing.ts'

export const commandHandlers: HandlersOf<CommandName> = {
  ...desktopHandlers,
  ...readingHandlers,
  ...actingHandlers,
  ...movingHandlers,
  ...permittingHandlers,
  ...routingHandlers,
  ...scriptingHandlers,
  ...storingHandlers,
}
