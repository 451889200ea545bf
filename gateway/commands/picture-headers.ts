/** The headers of a picture that is sent as it is. */
import type { CommandOutput } from '../../proto/commands/catalogue.ts'

/** The size of the whole, if the picture is cut off. */
export const cutHeader = ({ cut_from: whole }: Pick<CommandOutput<'screenshot'>, 'cut_from'>) =>
  whole && { 'x-cut-from': `${whole.width}x${whole.height}` }
