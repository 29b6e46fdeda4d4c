/*
 * image: the verb `brig image`: build, list, verify.
 *
 * `argv[0]` is "image", `argv[argc]` NULL. Returns the exit status: 0, 2 where the command line or
 * the recipe is at fault, 125 for any other failure; each failure is one line on stderr that names
 * the fix. `build` replaces this process by image/bake and returns only where that fails.
 *
 * Threads: none; reads the environment.
 */
#ifndef BRIG_CMD_IMAGE_H
#define BRIG_CMD_IMAGE_H

int cmd_image(int argc, char **argv);

#endif
