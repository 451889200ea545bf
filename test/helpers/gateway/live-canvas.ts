/** What the canvas of a live view shows. */
import type { Page } from 'playwright-core'

/** The colour that a pixel of the remote screen has on the canvas. */
export function colourAt(view: Page, x: number, y: number): Promise<readonly number[]> {
  return view.evaluate<number[]>(`{
    const pixels = document.querySelector('#stage canvas').getContext('2d')
    Array.from(pixels.getImageData(${x}, ${y}, 1, 1).data)
  }`)
}

export const isOrange = ([r = 0, g = 0, b = 0]: readonly number[]) =>
  r > 240 && Math.abs(g - 128) < 12 && b < 16
