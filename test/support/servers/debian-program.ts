import { aptInstall } from './apt.ts';
import { findOnPath } from './programs.ts';

type Program = {
  /** The environment variable that may hold its path. */
  variable: string;
  /** What it may be called on PATH. */
  names: string[];
  /** The package of Debian that brings it. */
  apt: string;
  /** Who needs what, for people. */
  need: string;
};

/** The path of a program: the one that is given, that of the PATH, or Debian's. Throws with what to do. */
export async function debianProgram({ variable, names, apt, need }: Program): Promise<string> {
  const given = process.env[variable];
  if (given !== undefined && given !== '') return given;
  const find = () => findOnPath(...names);
  try {
    return await find();
  } catch {
    try {
      await aptInstall(apt);
      return await find();
    } catch (error) {
      throw new Error(`${need}: install it (apt-get install ${apt}), or name one in ${variable}`, {
        cause: error,
      });
    }
  }
}
