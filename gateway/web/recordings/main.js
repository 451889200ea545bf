// The page of a recording that was handed out; it plays without scripts, too.
import { watchRecording } from './watching.js'

watchRecording()
